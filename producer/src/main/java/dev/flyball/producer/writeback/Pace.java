package dev.flyball.producer.writeback;

import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Failure.Category;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * When the next analysis may be told: at a distance from the last, after a failure the later the
 * more failed in a row, and not while its tracker is to be left alone. One thread.
 */
public final class Pace {
  /**
   * Trackers limit what is written more than what is read: one comment a second is nobody's pain.
   */
  static final Duration DISTANCE = Duration.ofSeconds(1);

  static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 6;

  /** After a rate limit that names no time; the polls begin with the same. */
  static final Duration LEAST_PAUSE = Duration.ofSeconds(60);

  /** From one look at whether a tracker is still to be left alone to the next. */
  static final Duration LOOK = Duration.ofSeconds(5);

  private final LongSupplier nanos;
  private final Supplier<Optional<String>> leftAlone;

  private int failures;
  private long notBefore;

  /**
   * At once.
   *
   * @param nanos this process' monotonic clock
   * @param leftAlone why the polls leave the tracker alone just now, one line; empty if they do not
   */
  public Pace(LongSupplier nanos, Supplier<Optional<String>> leftAlone) {
    this.nanos = nanos;
    this.leftAlone = leftAlone;
    this.notBefore = nanos.getAsLong();
  }

  /** Whether it is time; only then need anybody ask for what stands in the way. */
  boolean isTime() {
    return nanos.getAsLong() - notBefore >= 0;
  }

  /** Why the tracker may not be asked although it is time; empty if it may. */
  Optional<String> leftAlone() {
    Optional<String> why = leftAlone.get();
    if (why.isPresent()) {
      rest(LOOK);
    }
    return why;
  }

  /** One was told, or given up. */
  void told() {
    failures = 0;
    rest(DISTANCE);
  }

  /** One could not be told; answers how long is waited. */
  Duration failed(Failure failure) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures++, MAX_DOUBLINGS));
    if (failure.category() == Category.RATE_LIMITED && !failure.retryAfter().isPositive()) {
      wait = longer(wait, LEAST_PAUSE);
    }
    wait = longer(wait, failure.retryAfter());
    rest(wait);
    return wait;
  }

  /** How often it failed in a row. */
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
