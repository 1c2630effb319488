package dev.flyball.runner.protocol;

import java.time.Duration;

/**
 * The protocol's durations. All are measured on the runner's elapsed clock (the larger of the
 * monotonic and the suspend-counting one), none on a wall clock.
 *
 * @param lease the value with which the first runner seeds the ledger; afterwards the ledger's
 *     value applies
 * @param renew between two renewals
 * @param margin a session is fenced this long before any other runner could expire its lease
 * @param late a claim that takes effect later than this after its send is released unstarted; also
 *     the ledger producer's delivery timeout
 * @param coolDown how long a runner claims nothing after a late claim
 * @param retry between repeats of a release, an expiry, a renewal not yet seen, an init
 * @param herd time between two turns of runners at the same work, a claim for example
 * @param heartbeat between two runner entries; a runner is live for three of these after its last
 *     entry
 * @param stagger between two starts of one runner while it fills several free slots; never scaled
 */
public record LeaseTimes(
    Duration lease,
    Duration renew,
    Duration margin,
    Duration late,
    Duration coolDown,
    Duration retry,
    Duration herd,
    Duration heartbeat,
    Duration stagger) {

  public static final LeaseTimes DEFAULTS =
      new LeaseTimes(
          Duration.ofSeconds(45),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofMillis(50),
          Duration.ofSeconds(30),
          Duration.ofMillis(250));

  public LeaseTimes {
    positive("lease", lease);
    positive("renew", renew);
    positive("margin", margin);
    positive("late", late);
    positive("coolDown", coolDown);
    positive("retry", retry);
    positive("heartbeat", heartbeat);
    if (herd.isNegative()) {
      throw new IllegalArgumentException("herd is negative");
    }
    if (stagger.isNegative()) {
      throw new IllegalArgumentException("sessions.stagger " + stagger + " must not be negative");
    }
    if (lease.compareTo(margin.plus(renew)) <= 0) {
      throw new IllegalArgumentException(
          "ledger.lease "
              + lease
              + " must be longer than ledger.margin + ledger.renew, "
              + margin.plus(renew));
    }
  }

  /**
   * The defaults in proportion to this lease. In tests a lease of 4.5 s gives a renewal each
   * second.
   */
  public static LeaseTimes scaled(Duration lease) {
    return DEFAULTS.inProportion(lease);
  }

  /**
   * These values for lease, renewal, margin and stagger. The others are the defaults, {@code late},
   * {@code coolDown}, {@code retry} and {@code heartbeat} in proportion to the lease.
   *
   * @throws IllegalArgumentException if the lease is not longer than renewal and margin together
   */
  public static LeaseTimes of(Duration lease, Duration renew, Duration margin, Duration stagger) {
    LeaseTimes scaled = scaled(lease);
    return new LeaseTimes(
        lease,
        renew,
        margin,
        scaled.late,
        scaled.coolDown,
        scaled.retry,
        DEFAULTS.herd,
        scaled.heartbeat,
        stagger);
  }

  private LeaseTimes inProportion(Duration to) {
    long from = lease.toNanos();
    return new LeaseTimes(
        to,
        scale(renew, to, from),
        scale(margin, to, from),
        scale(late, to, from),
        scale(coolDown, to, from),
        scale(retry, to, from),
        herd,
        scale(heartbeat, to, from),
        stagger);
  }

  private static Duration scale(Duration duration, Duration to, long from) {
    return Duration.ofNanos(Math.round((double) duration.toNanos() * to.toNanos() / from));
  }

  private static void positive(String name, Duration duration) {
    if (!duration.isPositive()) {
      throw new IllegalArgumentException(
          "ledger." + name + " is " + duration + ", must be positive");
    }
  }
}
