package dev.flyball.contract.command;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An operator's command for one item, or for a source; the value of {@code commands}, keyed by the
 * item or the source. A command is only a request: triage-stream, or write-back for {@link
 * Redeliver}, or the producer for {@link Poll}, answers each with {@code command.done} or {@code
 * command.refused}. The JSON property {@code command} names the kind.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "command")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Command.Cancel.class, name = "cancel"),
  @JsonSubTypes.Type(value = Command.Retry.class, name = "retry"),
  @JsonSubTypes.Type(value = Command.Skip.class, name = "skip"),
  @JsonSubTypes.Type(value = Command.Forget.class, name = "forget"),
  @JsonSubTypes.Type(value = Command.Requeue.class, name = "requeue"),
  @JsonSubTypes.Type(value = Command.Redeliver.class, name = "redeliver"),
  @JsonSubTypes.Type(value = Command.Poll.class, name = "poll"),
})
public sealed interface Command {
  /** Longest id, in characters. */
  int MOST_ID = 100;

  /** Longest name of the operator, in characters. */
  int MOST_WHO = 200;

  /** Longest reason, in characters. */
  int MOST_WHY = 500;

  /** Unique; a command that is received twice takes effect once. */
  String id();

  /** The operator. */
  String who();

  /** The reason, for a person; may be empty. */
  String why();

  /** The command's name on the command line. */
  default String word() {
    return switch (this) {
      case Cancel c -> "cancel";
      case Retry r -> "retry";
      case Skip s -> "skip";
      case Forget f -> "forget";
      case Requeue r -> "requeue";
      case Redeliver r -> "redeliver";
      case Poll p -> "poll";
    };
  }

  /**
   * Withdraws the item's request and ends a running session; the item ends cancelled.
   *
   * @param session cancel only if this is the running session; null cancels any unsettled item
   */
  record Cancel(String id, String who, Instant at, String why, @Nullable String session)
      implements Command {
    public Cancel {
      check(id, who, at, why);
    }
  }

  /** Requests a new session now, with a new count of attempts. */
  record Retry(String id, String who, Instant at, String why) implements Command {
    public Retry {
      check(id, who, at, why);
    }
  }

  /** Ends an unsettled item as skipped. */
  record Skip(String id, String who, Instant at, String why) implements Command {
    public Skip {
      check(id, who, at, why);
    }
  }

  /** Removes the item's state; its next snapshot is that of a new item. */
  record Forget(String id, String who, Instant at, String why) implements Command {
    public Forget {
      check(id, who, at, why);
    }
  }

  /**
   * Requeues a dead letter of work-items: a dead item goes through triage again, and a snapshot
   * that could not be read is taken in.
   *
   * @param snapshot the dead letter's value
   * @param from the position of its record in work-items
   */
  record Requeue(String id, String who, Instant at, String why, Snapshot snapshot, Position from)
      implements Command {
    public Requeue {
      check(id, who, at, why);
      present(snapshot, "snapshot");
      present(from, "from");
    }
  }

  /**
   * Delivers an analysis again whose write-back was given up. The item's state does not change.
   *
   * @param analysis the dead letter's value
   */
  record Redeliver(String id, String who, Instant at, String why, Analysis analysis)
      implements Command {
    public Redeliver {
      check(id, who, at, why);
      present(analysis, "analysis");
      var _ = Token.parse(analysis.token());
    }
  }

  /**
   * Polls a source now, whatever its interval; the record's key is {@code tenant/source}. The
   * producer that polls the source obeys it, and rejects it while the tracker asks for a pause, the
   * breaker is open or the backlog is full. A producer that starts later does not see it.
   */
  record Poll(String id, String who, Instant at, String why) implements Command {
    public Poll {
      check(id, who, at, why);
    }
  }

  private static void check(String id, String who, Instant at, String why) {
    text(id, MOST_ID, "id");
    text(who, MOST_WHO, "who");
    text(why, MOST_WHY, "why");
    present(at, "at");
    if (id.isBlank()) {
      throw new IllegalArgumentException("id is blank");
    }
  }

  private static void text(String value, int most, String name) {
    present(value, name);
    if (value.length() > most) {
      throw new IllegalArgumentException(
          name + " of " + value.length() + " characters is above the limit of " + most);
    }
  }

  // Jackson sets a missing property to null, whatever the record's types declare.
  private static void present(@Nullable Object value, String name) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
  }
}
