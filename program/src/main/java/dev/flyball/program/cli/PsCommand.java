package dev.flyball.program.cli;

import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the live sessions. */
@Command(
    name = "ps",
    mixinStandardHelpOptions = true,
    description =
        "Prints the live sessions: item, runner, pid, processes, elapsed and limit, how long ago"
            + " the last progress was, tokens, cost.")
final class PsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  PsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    LiveTable.read(shared.load(terminal)).print(terminal, json);
    return Exit.DONE.code();
  }
}
