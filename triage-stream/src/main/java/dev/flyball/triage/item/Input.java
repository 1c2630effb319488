package dev.flyball.triage.item;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;

/** An input of an item's state machine. */
public sealed interface Input {

  /** The position of the input's record. */
  InputPosition origin();

  /** A snapshot was published. */
  record SnapshotSeen(InputPosition origin, Snapshot snapshot) implements Input {}

  /** A question was answered. */
  record VerdictGiven(InputPosition origin, Verdict verdict) implements Input {}

  /**
   * A question about this item will have no verdict; it is asked again.
   *
   * @param why a short reason, shown after "at last"
   */
  record VerdictMissing(InputPosition origin, String why) implements Input {}

  /**
   * The classifier cannot answer a question about this item yet; it will.
   *
   * @param why a reason for people
   */
  record VerdictDeferred(InputPosition origin, String why) implements Input {}

  /**
   * The ledger or a runner said something of a session: its claim took effect, its agent was
   * started, identified or killed, or answered, or its lease ended and everything written before
   * that is read.
   *
   * @param data all that was said; the terminal repeats it
   */
  record SessionReported(
      InputPosition origin, SessionRef session, EventType type, Instant at, EventData data)
      implements Input {}

  /** An operator's command for the item. */
  record CommandGiven(InputPosition origin, Command command) implements Input {}

  /** The item's own due time has come. */
  record DueReached(InputPosition origin) implements Input {}

  /** Identifies a session, its request and its fencing token. */
  record SessionRef(String session, Token token, String request) {}
}
