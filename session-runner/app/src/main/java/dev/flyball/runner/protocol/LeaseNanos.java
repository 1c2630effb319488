package dev.flyball.runner.protocol;

import java.time.Duration;
import java.util.Optional;

/** The durations in nanoseconds, with the lease that the ledger defines. */
final class LeaseNanos {
  private final LeaseTimes times;
  private final Fence.Rule rule;
  private long lease;

  LeaseNanos(LeaseTimes times, Fence.Rule rule) {
    this.times = times;
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
    return lease > margin() + renew()
        ? Optional.empty()
        : Optional.of(
            "the ledger's lease of "
                + fromLedger
                + " is not longer than this runner's margin and renewal together, "
                + times.margin().plus(times.renew())
                + ": set ledger.margin and ledger.renew as on the other runners");
  }

  /** How long a session may live by a claim or renewal that was sent and seen at these times. */
  Fence fence(long sentAt, long seenAt) {
    long confirmedAt = rule.countsFrom(sentAt, seenAt);
    return new Fence(
        confirmedAt, confirmedAt + lease - margin(), confirmedAt + lease - margin() / 2);
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
    return Math.min(rank * herd(), late());
  }

  long renew() {
    return times.renew().toNanos();
  }

  long margin() {
    return times.margin().toNanos();
  }

  long late() {
    return times.late().toNanos();
  }

  long coolDown() {
    return times.coolDown().toNanos();
  }

  long retry() {
    return times.retry().toNanos();
  }

  long herd() {
    return times.herd().toNanos();
  }

  long stagger() {
    return times.stagger().toNanos();
  }

  long heartbeat() {
    return times.heartbeat().toNanos();
  }
}
