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

  /**
   * These values for lease, renewal, margin and stagger. The others are the defaults, {@code late},
   * {@code coolDown}, {@code retry} and {@code heartbeat} in proportion to the lease.
   */
  public static LeaseTimes of(Duration lease, Duration renew, Duration margin, Duration stagger) {
    double scale = (double) lease.toNanos() / DEFAULTS.lease.toNanos();
    return new LeaseTimes(
        lease,
        renew,
        margin,
        scaled(DEFAULTS.late, scale),
        scaled(DEFAULTS.coolDown, scale),
        scaled(DEFAULTS.retry, scale),
        DEFAULTS.herd,
        scaled(DEFAULTS.heartbeat, scale),
        stagger);
  }

  private static Duration scaled(Duration duration, double scale) {
    return Duration.ofNanos(Math.round(duration.toNanos() * scale));
  }
}
