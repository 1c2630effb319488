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

  /** Makes a command of its id, who sends it, when and why. */
  public interface Making {
    /** The command. */
    Command of(String id, String who, Instant at, String why);
  }

  /** Who does something and why, each one line, because lists and logs show them as one. */
  public record By(String who, String why) {
    public By {
      who = OneLine.of(who, Command.MOST_WHO);
      why = OneLine.of(why);
    }

    /** A command of theirs, of now. */
    public Command command(Making making) {
      Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
      return making.of(UUID.randomUUID().toString(), who, now, why);
    }
  }

  /** Sends a command for each item and waits for a short time for the effects. */
  public List<CommandResult> items(
      ItemAction action, List<ItemKey> items, @Nullable String session, By by) {
    var commands = new LinkedHashMap<Command, String>();
    items.forEach(item -> commands.put(by.command(action.making(session)), item.toString()));
    return order(commands);
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
    return order(Map.of(by.command(Command.Poll::new), source)).getFirst();
  }

  /** Brings the content of an item's dead letters back. */
  public DeadLetters.Outcome deadLetters(DeadLetters.Action action, ItemKey item, By by) {
    return new DeadLetters(action, clients.topics(), List.of(item.toString()))
        .bringBack(clients, by, this::order, sent -> {});
  }

  private List<CommandResult> order(Map<Command, String> commands) {
    return new CommandSender(clients, PATIENCE).order(commands, PATIENCE);
  }
}
