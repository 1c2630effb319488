package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import java.time.Instant;

/**
 * What the runner's edge has to do. Times are nanoseconds on the clock that was passed in. Steps
 * are to be done in order and without delay, but a delay is safe: every deadline counts from before
 * the decision.
 */
public sealed interface Step {

  /**
   * Append this to the ledger; do not wait for it, and do not read anything into its success or
   * failure.
   */
  record Append(LedgerEntry entry) implements Step {}

  /**
   * Start the session of an effective claim; {@code lease.claimedAt()} is its token's offset. The
   * deadman must refuse to exec at or after {@code deadmanAt}, the runner at or after {@code
   * fenceAt}.
   */
  record Start(Wish wish, Lease lease, long fenceAt, long deadmanAt) implements Step {}

  /** A renewal took effect: move the session's deadman. */
  record Extend(String session, long fenceAt, long deadmanAt) implements Step {}

  /**
   * Kill the session's whole tree at once (CONT and KILL), then report it by {@link
   * Participant#dead}. May come for a session whose start is not done yet: then it must not start.
   */
  record Kill(String session, KillReason reason) implements Step {}

  /**
   * End the session gently, its lease still holds: a budget that it runs on is spent. Its end is
   * reported like any other.
   */
  record End(String session, String reason) implements Step {}

  /**
   * A claim of ours took effect but is not started; its release is on its way. For logs and
   * metrics.
   */
  record Unstarted(Wish wish, String session, Outcome outcome, String reason) implements Step {}

  /**
   * The ledger shows the end of a session that was reported dead, or will never show anything
   * again: nothing is left to do for it.
   */
  record Closed(String session) implements Step {}

  /**
   * The ledger may be cut below this offset, where its entries are older than is kept by {@code
   * now}, the broker's clock. In the background; whether it succeeds changes nothing.
   */
  record Cut(long below, Instant now) implements Step {}

  /** From now on this runner claims nothing; it is unhealthy with this reason. */
  record StopClaiming(String reason) implements Step {}

  /** Something that an operator should know. */
  record Warn(String text) implements Step {}
}
