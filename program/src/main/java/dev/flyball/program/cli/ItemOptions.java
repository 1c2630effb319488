package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.OperatorActions.By;
import dev.flyball.ops.console.operate.OperatorActions.Making;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the commands that change items: the reason, and how long to wait for the effect. */
final class ItemOptions extends KafkaOptions {
  @Mixin final TableOptions table;

  @Option(names = "--why", paramLabel = "TEXT", description = "Reason, recorded with the item")
  String why = "";

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      description = "Maximum time to wait for the effect (default: 10s)")
  String wait = "10s";

  ItemOptions(Terminal terminal) {
    super(terminal);
    table = new TableOptions(terminal);
  }

  /** Who gives the command, and why. */
  By by() {
    return new By(ScopeOptions.who(), why);
  }

  /** The configuration, after these options themselves are checked. */
  Configuration checked() {
    var _ = patience();
    if (why.length() > Command.MOST_WHY) {
      throw new ConfigurationError(
          "--why has " + why.length() + " characters; give at most " + Command.MOST_WHY);
    }
    return load();
  }

  Duration patience() {
    return LimitCommands.span("--wait", wait);
  }

  /** Sends one command for one item, named by its key or a bare id, and prints the answer. */
  Exit send(String name, Making making) {
    Configuration configuration = checked();
    ItemKey item = Lookup.item(configuration, name);
    return send(clients(configuration, "operator"), item, making);
  }

  Exit send(KafkaClients clients, ItemKey item, Making making) {
    return answered(
        new CommandSender(clients)
            .order(Map.of(by().command(making), item.toString()), patience())
            .getFirst());
  }

  /** Prints the effect, or one line with the reason why there is none. */
  Exit answered(CommandResult answer) {
    if (answer.unknown()) {
      throw Lookup.noItem(answer.item());
    }
    String trouble = answer.trouble();
    if (!trouble.isEmpty()) {
      terminal().note(trouble);
    }
    if (answer.done()) {
      print(List.of(answer));
    }
    return trouble.isEmpty() ? Exit.DONE : Exit.FAILED;
  }

  /** Prints one row for each effect. */
  void print(List<CommandResult> answers) {
    var rows =
        new Table("item", "command", "before", "after", "session", "outcome", "survivors", "why");
    answers.stream()
        .filter(CommandResult::done)
        .forEach(each ->
            rows.row(
                each.item(),
                each.field(Field.COMMAND),
                each.field(Field.BEFORE),
                each.field(Field.AFTER),
                each.field(Field.SESSION),
                each.endField(Field.OUTCOME),
                each.endField(Field.SURVIVORS),
                each.field(Field.REASON)));
    var _ = table.print(rows);
  }
}
