package dev.flyball.runner.protocol;

import java.time.Duration;
import java.util.Optional;

/** The durations in nanoseconds, with the lease that the ledger defines. */
final class LeaseNanos {
  final long renew;
  final long margin;
  final long late;
  final long coolDown;
  final long retry;
  final long herd;
  final long heartbeat;
  final long stagger;
  private final Fence.Rule rule;
  private long lease;

  LeaseNanos(LeaseTimes times, Fence.Rule rule) {
    this.renew = times.renew().toNanos();
    this.margin = times.margin().toNanos();
    this.late = times.late().toNanos();
    this.coolDown = times.coolDown().toNanos();
    this.retry = times.retry().toNanos();
    this.herd = times.herd().toNanos();
    this.heartbeat = times.heartbeat().toNanos();
    this.stagger = times.stagger().toNanos();
    this.rule = rule;
    this.lease = times.lease().toNanos();
  }

  /**
   * Adopts the ledger's lease. Two runners with different leases would break the cap, so the
   * ledger's value applies, not the configured one.
   *
   * @return why no session could run under it; empty if margin and renewal fit into it
   */
  Optional<String> ledgerLease(Duration fromLedger) {
    lease = fromLedger.toNanos();
    return lease > margin + renew
        ? Optional.empty()
        : Optional.of(
            "the ledger's lease of "
                + fromLedger
                + " is not longer than this runner's margin and renewal together, "
                + Duration.ofNanos(margin + renew)
                + ": set ledger.margin and ledger.renew as on the other runners");
  }

  /** How long a session may live by a claim or renewal that was sent and seen at these times. */
  Fence fence(long sentAt, long seenAt) {
    long confirmedAt = rule.countsFrom(sentAt, seenAt);
    return new Fence(confirmedAt, confirmedAt + lease - margin, confirmedAt + lease - margin / 2);
  }

  long lease() {
    return lease;
  }

  /**
   * How long a runner leaves work to those that rank before it ({@link RunnerCount#rank}): long
   * enough to read their entries first, on a ledger that is not slow. Only the fold decides, so a
   * wait that is too short costs a void entry, and one that is too long costs time.
   */
  long untilTurn(int rank) {
    return Math.min(rank * herd, late);
  }
}
