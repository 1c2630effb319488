package dev.flyball.writeback;

import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * When the next analysis may be delivered: some time after the last one, later with each failure in
 * a row, and not while polls of its tracker are paused. One thread.
 */
public final class DeliveryPace {
  /**
   * The time between two deliveries. Trackers limit writes more than reads; one comment a second is
   * well below their limits.
   */
  static final Duration DISTANCE = Duration.ofSeconds(1);

  static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 6;

  /** The pause after a rate limit that names no time; polls begin with the same. */
  static final Duration LEAST_PAUSE = Duration.ofSeconds(60);

  /** The time between two checks whether polls of a tracker are still paused. */
  static final Duration LOOK = Duration.ofSeconds(5);

  private final LongSupplier nanos;
  private final Supplier<Optional<String>> leftAlone;

  private int failures;
  private long notBefore;

  /**
   * A pace by which delivery may begin immediately.
   *
   * @param nanos this process' monotonic clock
   * @param leftAlone why polls of the tracker are paused now, one line; empty if they are not
   */
  public DeliveryPace(LongSupplier nanos, Supplier<Optional<String>> leftAlone) {
    this.nanos = nanos;
    this.leftAlone = leftAlone;
    this.notBefore = nanos.getAsLong();
  }

  /** Whether the wait is over; only then need {@link #leftAlone} be called. */
  boolean isTime() {
    return nanos.getAsLong() - notBefore >= 0;
  }

  /** Why the tracker may not be asked although the wait is over; empty if it may. */
  Optional<String> leftAlone() {
    Optional<String> why = leftAlone.get();
    if (why.isPresent()) {
      rest(LOOK);
    }
    return why;
  }

  /** An analysis was delivered, or given up. */
  void told() {
    failures = 0;
    rest(DISTANCE);
  }

  /** An analysis could not be delivered; returns how long to wait. */
  Duration failed(TrackerFailure failure) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures++, MAX_DOUBLINGS));
    if (failure.category() == Category.RATE_LIMITED && !failure.retryAfter().isPositive()) {
      wait = longer(wait, LEAST_PAUSE);
    }
    wait = longer(wait, failure.retryAfter());
    rest(wait);
    return wait;
  }

  /** How many deliveries failed in a row. */
  int failures() {
    return failures;
  }

  private void rest(Duration time) {
    notBefore = nanos.getAsLong() + time.toNanos();
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
