package dev.flyball.program.cli;

import dev.flyball.contract.event.Field;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.DeadLetters;
import dev.flyball.ops.console.operate.DeadLetters.Action;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that list dead letters, requeue items and deliver analyses again. */
final class DeadLetterCommands {
  private static final String REDELIVERED = "redelivered";

  private DeadLetterCommands() {}

  @picocli.CommandLine.Command(
      name = "dead-letters",
      mixinStandardHelpOptions = true,
      description =
          "List the dead letters, oldest first: records that could not be read, and items and"
              + " deliveries that were given up, with their topic and offset. `now` is the item's"
              + " current state. A dead letter stays in the list when it is requeued or"
              + " redelivered. The newest thousand are kept.")
  static Exit list(
      @Mixin ConfigurationOptions options,
      @Mixin ConsoleOptions console,
      @Mixin TableOptions table,
      @Option(
              names = "--topic",
              paramLabel = "TOPIC",
              description =
                  "Only records of this topic: work-items, or analyses for deliveries that were"
                      + " given up")
          @Nullable String topic) {
    var rows = new Table("key", "reason", "topic", "partition", "offset", "time", "now");
    try (ConsoleReader reader = console.reader(options)) {
      reader.age().report(options.terminal());
      List<DeadLetterRow> letters = reader.deadLetters();
      long older = reader.summary().deadLetters() - letters.size();
      if (older > 0) {
        options
            .terminal()
            .note(
                CountedNoun.of(older, "older one is", "older ones are")
                    + " not kept by the console; the topic dead-letters has those of a month");
      }
      letters.reversed().stream()
          .filter(
              it -> topic == null || it.topic().equals(topic) || it.topic().endsWith("." + topic))
          .forEach(it ->
              rows.row(
                  it.key(),
                  it.reason(),
                  it.topic(),
                  it.partition(),
                  it.offset(),
                  it.at(),
                  it.now()));
    }
    return table.print(rows);
  }

  @picocli.CommandLine.Command(
      name = "requeue",
      mixinStandardHelpOptions = true,
      description =
          "Requeue dead letters: triage a dead item again, read an unreadable snapshot again."
              + " Without KEY, requeue all of them. Exit code 3: some of them cannot be read.")
  static Exit requeue(
      @Mixin ItemOptions options,
      @Parameters(
              arity = "0..*",
              paramLabel = "KEY",
              description = "Only these items: tenant/source/id, or the id")
          @Nullable List<String> keys) {
    return send(options, Action.REQUEUE, keys);
  }

  @picocli.CommandLine.Command(
      name = "redeliver",
      mixinStandardHelpOptions = true,
      description =
          "Deliver analyses again whose write-back was given up; list them with dead-letters"
              + " --topic analyses. A comment that is there already stays, and a webhook gets the"
              + " same id again. Without KEY, deliver all of them.")
  static Exit redeliver(
      @Mixin ItemOptions options,
      @Parameters(
              arity = "0..*",
              paramLabel = "KEY",
              description = "Only analyses of these items: tenant/source/id, or the id")
          @Nullable List<String> keys) {
    return send(options, Action.REDELIVER, keys);
  }

  /**
   * Sends a command for each dead letter that it applies to, page by page, and prints the answers.
   */
  private static Exit send(ItemOptions options, Action action, @Nullable List<String> named) {
    List<String> keys = named == null ? List.of() : named;
    String done = action == Action.REQUEUE ? "requeued" : REDELIVERED;
    KafkaClients clients = options.clients(options.checked(), "operator");
    var sender = new CommandSender(clients);
    DeadLetters.Outcome outcome =
        new DeadLetters(action, clients.topics(), keys)
            .bringBack(
                clients,
                options.by(),
                commands -> sender.order(commands, options.patience()),
                sent -> options.terminal().note(sent + " commands sent, more follow"));
    List<CommandResult> answers = outcome.results();
    if (answers.isEmpty() && !keys.isEmpty()) {
      return nothing(options.terminal(), outcome.stay(), keys, done);
    }
    if (!keys.isEmpty() && answers.size() == 1) {
      Exit answered = options.answered(answers.getFirst());
      return answered == Exit.DONE ? exit(options.terminal(), outcome, done) : answered;
    }
    options.print(answers);
    return exit(options.terminal(), outcome, done);
  }

  private static Exit nothing(
      Terminal terminal, Map<String, String> stay, List<String> keys, String done) {
    if (stay.isEmpty()) {
      throw new StartFailure(
          "no dead letter has the key '"
              + String.join("' or '", keys)
              + "'; list: ./flyball dead-letters");
    }
    stay.forEach((item, why) -> terminal.note(item + " cannot be " + done + ": " + why));
    return Exit.FAILED;
  }

  private static Exit exit(Terminal terminal, DeadLetters.Outcome outcome, String done) {
    List<CommandResult> answers = outcome.results();
    Map<String, String> stay = outcome.stay();
    List<CommandResult> refused = answers.stream().filter(CommandResult::refused).toList();
    long unseen = answers.stream().filter(each -> !each.seen()).count();
    if (!refused.isEmpty()) {
      terminal.note(
          refused.size()
              + " of "
              + answers.size()
              + " were not "
              + done
              + ", for example "
              + refused.getFirst().item()
              + ": "
              + refused.getFirst().field(Field.REASON));
    }
    if (!stay.isEmpty()) {
      Map.Entry<String, String> first = stay.entrySet().iterator().next();
      terminal.note(
          stay.size()
              + " keys have dead letters that cannot be "
              + done
              + ", for example "
              + first.getKey()
              + ": "
              + first.getValue());
    }
    // Each by name: those that were not written can be repeated, the others perhaps not.
    List<CommandResult> lost = answers.stream().filter(each -> !each.acknowledged()).toList();
    lost.forEach(each -> terminal.note(each.trouble()));
    long sent = unseen - lost.size();
    if (sent > 0) {
      terminal.note(
          sent + " commands were sent, but no effect was seen yet; check with ./flyball item KEY");
    }
    // In a requeue of all, items that are no longer dead are expected.
    boolean failed = unseen > 0 || (!refused.isEmpty() && done.equals(REDELIVERED));
    if (failed) {
      return Exit.FAILED;
    }
    return outcome.leftOut() > 0 ? Exit.DEGRADED : Exit.DONE;
  }
}
