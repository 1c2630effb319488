package dev.flyball.standalone.cli;

import dev.flyball.ops.console.operate.Letters;
import dev.flyball.standalone.terminal.Exit;
import dev.flyball.standalone.terminal.Table;
import dev.flyball.standalone.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What could not be read, or was given up. */
@Command(
    name = "dead-letters",
    mixinStandardHelpOptions = true,
    description =
        "Prints the records that could not be read and the items that were given up, oldest first,"
            + " with where each stood.")
final class DeadLettersCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  DeadLettersCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    var table = new Table("key", "reason", "topic", "partition", "offset", "time");
    Letters.read(
        ItemOptions.clients(server.over(shared.load(terminal))),
        each ->
            table.row(
                each.key() == null ? "" : each.key(),
                each.letter().reason(),
                each.letter().topic(),
                each.letter().partition(),
                each.letter().offset(),
                each.letter().at()));
    table.print(terminal, json);
    return Exit.DONE.code();
  }
}
