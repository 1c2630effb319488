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
 * @param lag records that were read and not folded; above 0 after unknown rules
 * @param stopped why this runner claims nothing until an operator acts
 * @param waitsForTriage why no runner claims until triage-stream has caught up
 * @param heardNanos when the last entry came, elapsed nanoseconds; a runner's own entries come at
 *     least every heartbeat interval
 */
public record LedgerView(
    boolean read,
    int live,
    int cap,
    long offset,
    long lag,
    int waiting,
    @Nullable String stopped,
    Optional<String> waitsForTriage,
    long heardNanos) {
  static final LedgerView NOT_READ =
      new LedgerView(false, 0, 0, -1, -1, 0, null, Optional.empty(), 0);

  /**
   * Returns the participant's present view.
   *
   * @param position next offset to be read
   */
  static LedgerView of(
      boolean read, Participant participant, long position, int waiting, long heardNanos) {
    LedgerState ledger = participant.ledger();
    return new LedgerView(
        read,
        ledger.live(),
        ledger.cap(),
        ledger.offset(),
        Math.max(0, position - 1 - ledger.offset()),
        waiting,
        participant.stopped().orElse(null),
        Unsettled.tooMany(ledger),
        heardNanos);
  }
}
