package dev.flyball.ops.console.operate;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import org.jspecify.annotations.Nullable;

/**
 * A command that was sent, and the answers to it so far. Its effect is complete once it is answered
 * and, if it ended a session, that session's terminal event was read too.
 *
 * @param id the command's
 * @param answer {@code command.done} or {@code command.refused}, null before
 * @param end the terminal event of the session that ran, null before or if none ran
 */
public record CommandResult(
    ItemKey item, String id, @Nullable LifecycleEvent answer, @Nullable LifecycleEvent end) {
  /** The state of an item that triage-stream does not know. */
  private static final String UNKNOWN = "unknown";

  static CommandResult sent(ItemKey item, String id) {
    return new CommandResult(item, id, null, null);
  }

  /** Whether no further answer is expected. */
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
      return new CommandResult(item, id, event, end);
    }
    boolean itsEnd =
        answer != null
            && event.type().terminal()
            && data.text(Field.SESSION).filter(field(Field.SESSION)::equals).isPresent();
    return itsEnd ? new CommandResult(item, id, answer, event) : this;
  }
}
