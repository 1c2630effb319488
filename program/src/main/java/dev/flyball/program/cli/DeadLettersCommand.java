package dev.flyball.program.cli;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.Letters;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists dead letters: records that could not be read, or were given up. */
@Command(
    name = "dead-letters",
    mixinStandardHelpOptions = true,
    description =
        "Prints the records that could not be read and the items that were given up, oldest first,"
            + " with where each stood, and where the item stands now as far as the console of the"
            + " data folder knows: a letter stays when its item is brought back.")
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
    var table = new Table("key", "reason", "topic", "partition", "offset", "time", "now");
    Configuration configuration = server.over(shared.load(terminal));
    KafkaClients clients = ItemOptions.clients(configuration);
    // Servers given as an option may belong to another system, whose items this folder does not
    // know.
    try (StatesNow now =
        server.servers == null ? StatesNow.of(configuration, terminal) : StatesNow.nothing()) {
      Letters.read(
          clients,
          each ->
              table.row(
                  each.key() == null ? "" : each.key(),
                  each.letter().reason(),
                  each.letter().topic(),
                  each.letter().partition(),
                  each.letter().offset(),
                  each.letter().at(),
                  now.of(each.key())));
      now.tellAge();
    }
    table.print(terminal, json);
    return Exit.DONE.code();
  }
}
