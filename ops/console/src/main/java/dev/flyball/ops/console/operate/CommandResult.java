package dev.flyball.ops.console.operate;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import org.jspecify.annotations.Nullable;

/**
 * A command, whether it was written, and the answers to it so far. Its effect is complete once it
 * is answered and, if it ended a session, that session's terminal event was read too.
 *
 * @param item the key of the item or source
 * @param id the command's
 * @param written whether Kafka has it
 * @param problem why it is not or only perhaps written; empty if it is
 * @param answer {@code command.done} or {@code command.refused}, null before
 * @param end the terminal event of the session that ran, null before or if none ran
 */
public record CommandResult(
    String item,
    String id,
    Written written,
    String problem,
    @Nullable LifecycleEvent answer,
    @Nullable LifecycleEvent end) {
  /** Whether Kafka has a command. */
  public enum Written {
    /** It was acknowledged. */
    YES,
    /** It was sent, and no acknowledgement came: a repeat could double it. */
    PERHAPS,
    /** It was not sent, or Kafka rejected it. */
    NO
  }

  /** The state of an item that triage-stream does not know. */
  private static final String UNKNOWN = "unknown";

  static CommandResult unsent(String item, String id) {
    return new CommandResult(
        item, id, Written.NO, "Kafka accepted the commands before it too slowly", null, null);
  }

  /** The same after it was sent. */
  CommandResult sent(Written how, String why) {
    return new CommandResult(item, id, how, why, answer, end);
  }

  /** Whether Kafka is known to have it. */
  public boolean acknowledged() {
    return answer != null || written == Written.YES;
  }

  /** Whether no further answer is expected: its effect was seen, or it has none. */
  boolean settled() {
    return seen() || written == Written.NO;
  }

  /** Whether its effect was seen. */
  public boolean seen() {
    return answer != null && (refused() || field(Field.SESSION).isEmpty() || end != null);
  }

  /** Whether it was carried out; a session that ran may not have ended yet. */
  public boolean done() {
    return answer != null && !refused();
  }

  /** Whether it was rejected, so that it never takes effect. */
  public boolean refused() {
    return answer != null && answer.type() == EventType.COMMAND_REFUSED;
  }

  /** Whether it was rejected because the item is unknown. */
  public boolean unknown() {
    return refused() && field(Field.BEFORE).equals(UNKNOWN);
  }

  /** Why its effect was not seen, one line for a person; empty if it was. */
  public String trouble() {
    if (refused()) {
      return item + ": " + field(Field.REASON);
    }
    if (answer != null) {
      return seen()
          ? ""
          : item + " is " + field(Field.AFTER) + ", but its session has not ended yet";
    }
    return item
        + ": the command was "
        + switch (written) {
          case YES -> "sent, but no effect was seen yet; check it before you repeat it";
          case PERHAPS -> "perhaps written (" + problem + "); check it before you repeat it";
          case NO -> "not written (" + problem + ")";
        };
  }

  /** A field of the answer, empty if there is none. */
  public String field(Field field) {
    return answer == null ? "" : answer.data().text(field).orElse("");
  }

  /** A field of the ended session's terminal event, empty if there is none. */
  public String endField(Field field) {
    return end == null ? "" : end.data().text(field).orElse("");
  }

  /** This command together with an event, if the event is about it. */
  CommandResult heard(LifecycleEvent event) {
    EventData data = event.data();
    if (answer == null
        && (event.type() == EventType.COMMAND_DONE || event.type() == EventType.COMMAND_REFUSED)
        && data.text(Field.COMMAND_ID).filter(id::equals).isPresent()) {
      return new CommandResult(item, id, Written.YES, "", event, end);
    }
    boolean itsEnd =
        answer != null
            && event.type().terminal()
            && data.text(Field.SESSION).filter(field(Field.SESSION)::equals).isPresent();
    return itsEnd ? new CommandResult(item, id, written, problem, answer, event) : this;
  }
}
