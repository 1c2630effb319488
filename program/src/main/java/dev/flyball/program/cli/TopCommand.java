package dev.flyball.program.cli;

import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.Signals;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the live sessions repeatedly. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description =
        "Shows the live sessions every 2 s until q or Ctrl-C; once, as ps, when piped or on a dumb"
            + " terminal.")
final class TopCommand implements Callable<Integer> {
  private static final Duration EVERY = Duration.ofSeconds(2);
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Option(names = "--json", description = "Once, as one JSON array on one line")
  boolean json;

  TopCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = shared.load(terminal);
    LiveTable first = LiveTable.read(configuration);
    if (json || !terminal.redraws()) {
      first.print(terminal, json);
      return Exit.DONE.code();
    }
    return new TopScreen(
            terminal, EVERY, Signals.caught().first(), () -> LiveTable.read(configuration))
        .show()
        .code();
  }
}
