package dev.flyball.ops.console.operate;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what operators ask of the console. Each change is a record in the commands topic or
 * the ledger with its operator, time and reason, which is also the audit record. Any thread.
 */
public final class OperatorActions {
  /** Most items that one action changes. */
  public static final int MOST = 1_000;

  /**
   * How long Kafka may take to accept a change, and then how long its effect is waited for; a
   * client that waits longer asks for the item.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final KafkaClients clients;

  /** Nothing is opened yet. */
  public OperatorActions(KafkaSettings kafka) {
    this.clients = new KafkaClients(kafka, "operator");
  }

  /** Who does something and why, each one line, because lists and logs show them as one. */
  public record By(String who, String why) {
    public By {
      who = OneLine.of(who, Command.MOST_WHO);
      why = OneLine.of(why);
    }
  }

  /** Sends a command for each item and waits for a short time for the effects. */
  public List<CommandResult> items(
      ItemAction action, List<ItemKey> items, @Nullable String session, By by) {
    var commands = new LinkedHashMap<Command, String>();
    for (ItemKey item : items) {
      commands.put(action.command(id(), by.who(), now(), by.why(), session), item.toString());
    }
    return new CommandSender(clients, PATIENCE).order(commands, PATIENCE);
  }

  /**
   * Makes a change of a scope's limits; fails as {@link OperatorEntries#change(ScopeChange, String,
   * String)}.
   */
  public OperatorEntries.Answer change(ScopeChange change, By by) {
    return new OperatorEntries(clients, PATIENCE).change(change, by.who(), by.why());
  }

  /** Polls a source now, {@code tenant/source}, and waits for a short time for the answer. */
  public CommandResult poll(String source, By by) {
    var command = new Command.Poll(id(), by.who(), now(), by.why());
    return new CommandSender(clients, PATIENCE).order(Map.of(command, source), PATIENCE).getFirst();
  }

  /** Triages the items of dead letters again. */
  public DeadLetterSelection.Outcome requeue(List<String> keys, By by) {
    return all(
        page -> DeadLetterSelection.snapshots(clients.topics(), keys, page),
        back -> new Command.Requeue(id(), by.who(), now(), by.why(), back.snapshot(), back.from()));
  }

  /** Delivers analyses again whose delivery was given up. */
  public DeadLetterSelection.Outcome redeliver(List<String> keys, By by) {
    return all(
        page -> DeadLetterSelection.analyses(clients.topics(), keys, page),
        analysis -> new Command.Redeliver(id(), by.who(), now(), by.why(), analysis));
  }

  private <T> DeadLetterSelection.Outcome all(
      Function<DeadLetterSelection.Page, DeadLetterSelection<T>> selection,
      Function<T, Command> command) {
    return DeadLetterSelection.all(
        MOST,
        page -> DeadLetterReader.into(clients, selection.apply(page)),
        command,
        commands -> new CommandSender(clients, PATIENCE).order(commands, PATIENCE),
        sent -> {});
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }
}
