package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Unsettled;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ledger's state when it was last read.
 *
 * @param read whether it was read to the end that it had at start
 * @param stopped why this runner claims nothing until an operator acts
 * @param waitsForTriage why no runner claims until triage-stream has caught up
 * @param lastReadNanos when the last entry was read, elapsed nanoseconds; a runner's own entries
 *     come at least every heartbeat interval
 * @param ledger the state itself
 */
public record LedgerView(
    boolean read,
    int live,
    int cap,
    long offset,
    @Nullable String stopped,
    Optional<String> waitsForTriage,
    long lastReadNanos,
    LedgerState ledger) {
  static final LedgerView NOT_READ =
      new LedgerView(false, 0, 0, -1, null, Optional.empty(), 0, LedgerState.empty());

  /** Returns the participant's present view. */
  static LedgerView of(boolean read, Participant participant, long lastReadNanos) {
    LedgerState ledger = participant.ledger();
    return new LedgerView(
        read,
        ledger.live(),
        ledger.cap(),
        ledger.offset(),
        participant.stopped().orElse(null),
        Unsettled.tooMany(ledger),
        lastReadNanos,
        ledger);
  }
}
