package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.DeadLetterReader;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The commands that list dead letters and requeue them. */
final class DeadLetterCommands {
  /** Most items requeued by one call; each may cost a session. */
  private static final int MOST = 1_000;

  private DeadLetterCommands() {}

  @picocli.CommandLine.Command(
      name = "dead-letters",
      mixinStandardHelpOptions = true,
      description =
          "List the dead letters, oldest first: records that could not be read and items that were"
              + " given up, with their topic and offset. `now` is the item's current state. A"
              + " requeued item's dead letter stays in the list.")
  static Exit list(@Mixin KafkaOptions options, @Mixin TableOptions table) {
    var rows = new Table("key", "reason", "topic", "partition", "offset", "time", "now");
    Configuration configuration = options.load();
    KafkaClients clients = options.clients(configuration, "operator");
    // Servers given as an option may belong to another system, whose items this folder does not
    // know.
    try (CurrentStates now =
        options.servers == null
            ? CurrentStates.of(configuration, options.terminal())
            : CurrentStates.nothing()) {
      DeadLetterReader.read(
          clients,
          each ->
              rows.row(
                  each.key() == null ? "" : each.key(),
                  each.letter().reason(),
                  each.letter().topic(),
                  each.letter().partition(),
                  each.letter().offset(),
                  each.letter().at(),
                  now.of(each.key())));
      now.reportAge();
    }
    return table.print(rows);
  }

  @picocli.CommandLine.Command(
      name = "requeue",
      mixinStandardHelpOptions = true,
      description =
          "Requeue dead letters: triage a dead item again, read an unreadable snapshot again."
              + " Without KEY, requeue all of them.")
  static Exit requeue(
      @Mixin ItemOptions options,
      @Parameters(
              arity = "0..1",
              paramLabel = "KEY",
              description = "Only this item: tenant/source/id, or the id")
          @Nullable String key) {
    KafkaClients clients = options.clients(options.checked(), "operator");
    var selection = new RequeueSelection(clients.topics().workItems(), key, MOST);
    DeadLetterReader.read(clients, selection::read);
    if (selection.back().isEmpty() && key != null) {
      return nothing(options.terminal(), selection, key);
    }
    var commands = new TreeMap<ItemKey, Command>();
    selection
        .back()
        .forEach((item, back) ->
            commands.put(
                item,
                options.make((id, who, at, why) ->
                    new Command.Requeue(id, who, at, why, back.snapshot(), back.from()))));
    List<CommandResult> answers = new CommandSender(clients).order(commands, options.patience());
    if (key != null && answers.size() == 1) {
      return options.answered(answers.getFirst());
    }
    options.print(answers);
    return exit(options.terminal(), answers, selection);
  }

  private static Exit nothing(Terminal terminal, RequeueSelection selection, String key) {
    if (selection.stay().isEmpty()) {
      throw new NotFound("no dead letter has the key '" + key + "'; list: ./flyball dead-letters");
    }
    selection.stay().forEach((item, why) -> terminal.note(item + " cannot be requeued: " + why));
    return Exit.FAILED;
  }

  private static Exit exit(
      Terminal terminal, List<CommandResult> answers, RequeueSelection selection) {
    long alive = answers.stream().filter(CommandResult::refused).count();
    long unseen = answers.stream().filter(each -> !each.seen()).count();
    if (alive > 0) {
      terminal.note(alive + " of them are no longer dead");
    }
    if (!selection.stay().isEmpty()) {
      terminal.note(
          selection.stay().size()
              + " keys have dead letters that cannot be requeued; for the reason, run ./flyball"
              + " dead-letters requeue KEY");
    }
    if (unseen > 0) {
      terminal.note(
          unseen + " commands were sent, but no effect was seen yet; check with ./flyball items");
    }
    return unseen > 0 ? Exit.FAILED : Exit.DONE;
  }
}
