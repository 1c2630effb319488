package dev.flyball.contract.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks of one item; the value of {@code commands}, keyed by the item. A command is
 * a wish: triage-stream answers each with {@code command.done} or {@code command.refused}. The JSON
 * property {@code command} names the kind.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "command")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Command.Cancel.class, name = "cancel"),
  @JsonSubTypes.Type(value = Command.Retry.class, name = "retry"),
  @JsonSubTypes.Type(value = Command.Skip.class, name = "skip"),
  @JsonSubTypes.Type(value = Command.Forget.class, name = "forget"),
  @JsonSubTypes.Type(value = Command.Requeue.class, name = "requeue"),
})
@JsonInclude(JsonInclude.Include.NON_NULL)
public sealed interface Command {
  /** Longest id, in characters. */
  int MOST_ID = 100;

  /** Longest who, in characters. */
  int MOST_WHO = 200;

  /** Longest why, in characters. */
  int MOST_WHY = 500;

  /** Unique; a command that comes twice takes effect once. */
  String id();

  /** Who asks. */
  String who();

  /** When it was asked, by the operator's clock. */
  Instant at();

  /** The reason, for a person; may be empty. */
  String why();

  /** The kind, as people type it. */
  default String word() {
    return switch (this) {
      case Cancel c -> "cancel";
      case Retry r -> "retry";
      case Skip s -> "skip";
      case Forget f -> "forget";
      case Requeue r -> "requeue";
    };
  }

  /**
   * The item's request is withdrawn, a running session is ended; the item ends cancelled.
   *
   * @param id unique; a command that comes twice takes effect once
   * @param who who asks
   * @param at when it was asked
   * @param why the reason, may be empty
   * @param session only if this is the running session, null for whatever is unsettled
   */
  record Cancel(String id, String who, Instant at, String why, @Nullable String session)
      implements Command {
    public Cancel {
      check(id, who, at, why);
    }
  }

  /**
   * A new session request now, with every attempt ahead of it.
   *
   * @param id unique; a command that comes twice takes effect once
   * @param who who asks
   * @param at when it was asked
   * @param why the reason, may be empty
   */
  record Retry(String id, String who, Instant at, String why) implements Command {
    public Retry {
      check(id, who, at, why);
    }
  }

  /**
   * Whatever is unsettled ends, and the item ends skipped.
   *
   * @param id unique; a command that comes twice takes effect once
   * @param who who asks
   * @param at when it was asked
   * @param why the reason, may be empty
   */
  record Skip(String id, String who, Instant at, String why) implements Command {
    public Skip {
      check(id, who, at, why);
    }
  }

  /**
   * The item's state is removed; its next snapshot is that of a new item.
   *
   * @param id unique; a command that comes twice takes effect once
   * @param who who asks
   * @param at when it was asked
   * @param why the reason, may be empty
   */
  record Forget(String id, String who, Instant at, String why) implements Command {
    public Forget {
      check(id, who, at, why);
    }
  }

  /**
   * A dead letter of work-items comes back: a dead item goes through triage again, a snapshot that
   * could not be read is taken in.
   *
   * @param id unique; a command that comes twice takes effect once
   * @param who who asks
   * @param at when it was asked
   * @param why the reason, may be empty
   * @param snapshot the letter's value
   * @param from where its record stood in work-items
   */
  record Requeue(
      String id, String who, Instant at, String why, Snapshot snapshot, ItemState.Position from)
      implements Command {
    public Requeue {
      check(id, who, at, why);
      present(snapshot, "snapshot");
      present(from, "from");
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

  // Jackson leaves a missing property null, whatever the record's types promise.
  private static void present(@Nullable Object value, String name) {
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
  }
}
