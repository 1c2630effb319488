package dev.flyball.runner.lease;

import java.time.Duration;

/** The durations in nanoseconds, with the lease that the ledger says. */
final class Clockwork {
  private final LeaseTimes times;
  private long lease;

  Clockwork(LeaseTimes times) {
    this.times = times;
    this.lease = times.lease().toNanos();
  }

  /**
   * Two runners with different leases would break the cap, so the ledger's value counts, not the
   * configured one.
   */
  void ledgerLease(Duration fromLedger) {
    lease = fromLedger.toNanos();
  }

  /** Whether renewals and margin leave a session anything to live for. */
  boolean fits() {
    return lease > margin() + renew();
  }

  Fence fence(long confirmedAt) {
    return new Fence(
        confirmedAt, confirmedAt + lease - margin(), confirmedAt + lease - margin() / 2);
  }

  long lease() {
    return lease;
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

  long beat() {
    return times.beat().toNanos();
  }

  LeaseTimes times() {
    return times;
  }
}
