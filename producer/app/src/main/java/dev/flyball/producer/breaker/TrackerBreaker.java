package dev.flyball.producer.breaker;

import dev.flyball.contract.poll.Trouble;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of a tracker. A number of failed polls in a row opens it; after its time one
 * poll decides whether it closes. A rate limit does not count as a failure: polls pause as long as
 * the tracker says, and longer each time if it names no time.
 */
public final class TrackerBreaker implements Breaker {
  /** Longest pause that a tracker may ask for: it must not stop its polls for good. */
  public static final Duration LONGEST = Duration.ofHours(1);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(60);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
  private static final int MAX_DOUBLINGS = 4;
  private static final String READ = "read";

  private final String source;
  private final BreakerLimits limits;
  private final LongSupplier nanos;
  private final CircuitBreaker machine;

  /** What poll-state records, or is to record. */
  private @Nullable Trouble trouble;

  /** When the tracker may be asked again, by {@link #nanos}. */
  private long end;

  /**
   * A closed breaker.
   *
   * @param source {@code tenant/source}
   * @param nanos this process' monotonic clock
   */
  public TrackerBreaker(String source, BreakerLimits limits, LongSupplier nanos) {
    this.source = source;
    this.limits = limits;
    this.nanos = nanos;
    this.end = nanos.getAsLong();
    this.machine =
        CircuitBreaker.of(
            source,
            CircuitBreakerConfig.custom()
                .slidingWindowType(SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(limits.failures())
                .minimumNumberOfCalls(limits.failures())
                .failureRateThreshold(100)
                .permittedNumberOfCallsInHalfOpenState(1)
                .waitDurationInOpenState(limits.open())
                .recordResult(TrackerFailure.class::isInstance)
                .build());
  }

  @Override
  public boolean counts() {
    return true;
  }

  @Override
  public synchronized void restore(
      @Nullable Trouble known, Optional<Instant> polledAt, Instant now) {
    if (Objects.equals(known, trouble)) {
      return;
    }
    trouble = known;
    machine.reset();
    leaveAlone(known == null ? Duration.ZERO : remaining(known, polledAt, now));
    if (known == null) {
      return;
    }
    if (known.failures() >= limits.failures()) {
      machine.transitionToOpenState();
    } else {
      TrackerFailure failure = TrackerFailure.of(Category.UNREACHABLE, known.reason());
      for (int i = 0; i < known.failures(); i++) {
        record(failure);
      }
    }
  }

  @Override
  public synchronized @Nullable Trouble trouble() {
    return trouble;
  }

  @Override
  public synchronized State state() {
    return switch (machine.getState()) {
      case OPEN, FORCED_OPEN -> State.OPEN;
      case HALF_OPEN -> State.HALF_OPEN;
      case CLOSED, DISABLED, METRICS_ONLY -> State.CLOSED;
    };
  }

  @Override
  public synchronized Duration left() {
    Duration left = Duration.ofNanos(end - nanos.getAsLong());
    return left.isPositive() ? left : Duration.ZERO;
  }

  @Override
  public synchronized Optional<String> whyNot() {
    Duration left = left();
    Trouble why = trouble;
    if (why != null && left.isPositive()) {
      return Optional.of(line(why, left));
    }
    if (state() == State.OPEN) {
      machine.transitionToHalfOpenState();
    }
    return Optional.empty();
  }

  @Override
  public synchronized void failed(TrackerFailure failure, Instant now) {
    int failures = trouble == null ? 0 : trouble.failures();
    int limited = trouble == null ? 0 : trouble.limited();
    Duration wait = failure.retryAfter();
    if (failure.category() == Category.RATE_LIMITED) {
      if (!wait.isPositive()) {
        wait = FIRST_PAUSE.multipliedBy(1L << Math.min(limited, MAX_DOUBLINGS));
        wait = shorter(wait, LONGEST_PAUSE);
      }
      limited++;
    } else {
      failures++;
      limited = 0;
      record(failure);
      if (state() == State.OPEN && wait.compareTo(limits.open()) < 0) {
        wait = limits.open();
      }
    }
    rest(failure.category(), failure.reason(), failures, limited, wait, now);
  }

  @Override
  public synchronized void read(Duration retryAfter, Instant now) {
    record(READ);
    if (retryAfter.isPositive()) {
      String reason = "it answered, and asked for a pause; nothing to do";
      rest(Category.RATE_LIMITED, reason, 0, 0, retryAfter, now);
    } else {
      trouble = null;
      leaveAlone(Duration.ZERO);
    }
  }

  private void rest(
      Category category, String reason, int failures, int limited, Duration asked, Instant now) {
    Duration wait = shorter(asked, longest());
    leaveAlone(wait);
    Instant notBefore = wait.isPositive() ? now.plus(wait) : null;
    trouble = new Trouble(category.label(), reason, failures, limited, notBefore);
  }

  /**
   * Records a poll's result. A poll that began while the breaker was closed may end after another
   * process opened it.
   */
  private void record(Object result) {
    if (state() == State.OPEN) {
      machine.transitionToHalfOpenState();
    }
    var _ = machine.executeSupplier(() -> result);
  }

  private void leaveAlone(Duration time) {
    end = nanos.getAsLong() + time.toNanos();
  }

  /**
   * The remaining pause by wall clocks, possibly of two machines: never longer than the pause was
   * when it was written.
   */
  private Duration remaining(Trouble known, Optional<Instant> polledAt, Instant now) {
    Instant notBefore = known.notBefore();
    if (notBefore == null) {
      return Duration.ZERO;
    }
    Duration whole = polledAt.map(at -> Duration.between(at, notBefore)).orElse(longest());
    Duration wait = shorter(Duration.between(now, notBefore), shorter(whole, longest()));
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private Duration longest() {
    return limits.open().compareTo(LONGEST) > 0 ? limits.open() : LONGEST;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private String line(Trouble why, Duration left) {
    return state() == State.CLOSED || why.failures() < limits.failures()
        ? source
            + " asked for a pause: calls suspended for another "
            + TimeSpan.remaining(left)
            + "; last: "
            + why.reason()
        : "circuit breaker open: calls to "
            + source
            + " suspended for another "
            + TimeSpan.remaining(left)
            + " after "
            + why.failures()
            + " failures; last: "
            + why.reason();
  }
}
