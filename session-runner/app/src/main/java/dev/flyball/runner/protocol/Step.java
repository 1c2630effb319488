package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import java.time.Instant;

/**
 * The work of the runner's edge. Times are nanoseconds on the clock that was passed in. Carry steps
 * out in order and without delay. A delay is safe, because every deadline runs from before the
 * decision.
 */
public sealed interface Step {

  /** Append this; do not wait for it, and conclude nothing from its success or failure. */
  record Append(LedgerEntry entry) implements Step {}

  /**
   * Start the session of an effective claim; {@code lease.claimedAt()} is its token's offset. The
   * deadman must not exec the agent at or after {@code fence.deadmanAt()}, and the runner must not
   * start it at or after {@code fence.fenceAt()}.
   */
  record Start(Lease lease, Fence fence) implements Step {}

  /** A renewal took effect: move the session's deadman. */
  record Extend(String session, Fence fence) implements Step {}

  /**
   * Kill the session's whole tree immediately (CONT and KILL), then report it by {@link
   * Participant#dead}. The step may arrive for a session whose start is not done yet: then it must
   * not start.
   */
  record Kill(String session, Reason reason) implements Step {

    /** Why the lease protocol ends a session. */
    public enum Reason {
      /** No renewal was seen to take effect in time. */
      FENCED("lease fence"),
      /** The ledger shows the end of the lease while the session lives. */
      LEASE_ENDED("lease ended"),
      /** The ledger is another one, was cut, or has rules that this code does not know. */
      LEDGER_UNUSABLE("ledger unusable");

      private final String label;

      Reason(String label) {
        this.label = label;
      }

      /** The reason as events carry it. */
      public String label() {
        return label;
      }
    }
  }

  /**
   * End the session gently while its lease still holds, because a budget that it runs on is spent.
   * Its end is reported like any other.
   */
  record End(String session, String reason) implements Step {}

  /** A claim took effect and is not started; its release was sent. For logs and metrics. */
  record Unstarted(String session, Outcome outcome, String reason) implements Step {

    /** Its release: nothing ran and nothing was spent. */
    public LedgerEntry.Release release() {
      return LedgerEntry.Release.of(session, outcome, reason, Receipt.notStarted());
    }
  }

  /**
   * The ledger shows the end of a session that was reported dead, or can no longer show any end.
   * Nothing is left to do for the session.
   */
  record Closed(String session) implements Step {}

  /**
   * The ledger may be cut below this offset, where its entries are older than the retention at
   * {@code now}, the broker's clock. It is cut in the background; whether that succeeds changes
   * nothing.
   */
  record Cut(long below, Instant now) implements Step {}

  /** This runner claims nothing from now on; it is unhealthy with this reason. */
  record StopClaiming(String reason) implements Step {}

  /** Something that an operator should know. */
  record Warn(String text) implements Step {}
}
