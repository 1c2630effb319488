package dev.flyball.program.cli;

import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows every key, its value and where that comes from. */
@Command(
    name = "config",
    mixinStandardHelpOptions = true,
    description = "Prints every key with its value and where the value comes from.")
final class ConfigCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  ConfigCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = shared.load(terminal);
    new AppConfigurations(configuration).check();
    var table = new Table("key", "value", "source");
    configuration.rows().forEach(row -> table.row(row.key(), row.value(), row.source()));
    table.print(terminal, json);
    return Exit.DONE.code();
  }
}
