package dev.flyball.producer.breaker;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether one source may be asked now. A number of failed polls in a row opens its breaker; after
 * its time one poll decides whether it closes. A rate limit does not count as a failure: polls
 * pause as long as the tracker says, and longer each time if it names no time.
 *
 * <p>Its state is the {@link Trouble} in poll-state, so it continues after restarts and takeovers.
 * Waits are measured by this process' own monotonic clock, from the moment at which the process
 * learns of them: a stepped wall clock makes none of them longer. Any thread.
 */
public final class Breaker {
  /** Longest pause that a tracker may ask for: it must not stop its polls for good. */
  public static final Duration LONGEST = Duration.ofHours(1);

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(60);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
  private static final int MAX_DOUBLINGS = 4;

  private final String source;
  private final LongSupplier nanos;

  /** Null for a file, which may always be read. */
  private @Nullable Limits limits;

  /** What poll-state records, or is to record. */
  private @Nullable Trouble trouble;

  /** When the tracker may be asked again, by {@link #nanos}. */
  private long end;

  /** Whether the open breaker has let its one poll through. */
  private boolean probing;

  /**
   * Closed: the source is polled. Open: polls are paused. Half-open: one poll is allowed, and its
   * result closes or opens the breaker.
   */
  public enum State {
    CLOSED,
    HALF_OPEN,
    OPEN;

    /** The figure in metrics. */
    public int figure() {
      return this == CLOSED ? 0 : this == HALF_OPEN ? 1 : 2;
    }
  }

  /** When polls of a failing tracker are paused, and for how long. */
  public record Limits(
      @ConfigKey(
              name = "breaker.failures",
              from = 1,
              to = 1000,
              meaning =
                  "Failed polls in a row after which a tracker is paused; its rate limit"
                      + " does not count (no effect on jsonl)")
          int failures,
      @ConfigKey(
              name = "breaker.open",
              meaning =
                  "How long a failing tracker is paused before one poll tries again (no effect on"
                      + " jsonl)")
          Duration open) {
    /** The limits unless configured. */
    public static final Limits DEFAULT = new Limits(3, Duration.ofMinutes(5));

    public Limits {
      if (failures < 1) {
        throw new IllegalArgumentException("breaker.failures " + failures + " must be above 0");
      }
      if (!open.isPositive()) {
        throw new IllegalArgumentException(
            "breaker.open " + TimeSpan.exact(open) + " must be above 0");
      }
    }
  }

  /**
   * A closed breaker.
   *
   * @param source {@code tenant/source}
   * @param limits null for a file, which may always be read
   * @param nanos this process' monotonic clock
   */
  public Breaker(String source, @Nullable Limits limits, LongSupplier nanos) {
    this.source = source;
    this.limits = limits;
    this.nanos = nanos;
    this.end = nanos.getAsLong();
  }

  /** Other limits are in force; a pause that runs stays as long as it is. */
  public synchronized void limit(@Nullable Limits now) {
    limits = now;
  }

  /** Whether failures are recorded in poll-state and counted. */
  public synchronized boolean counts() {
    return limits != null;
  }

  /**
   * Continues from what poll-state records.
   *
   * @param known null if the last poll went well
   * @param polledAt when that poll ended
   * @param now by this process' wall clock
   */
  public synchronized void restore(
      @Nullable Trouble known, Optional<Instant> polledAt, Instant now) {
    if (!Objects.equals(known, trouble)) {
      trouble = known;
      probing = false;
      pause(known == null ? Duration.ZERO : remaining(known, polledAt, now));
    }
  }

  /** What poll-state is to record about the tracker; null if nothing is wrong. */
  public synchronized @Nullable Trouble trouble() {
    return counts() ? trouble : null;
  }

  /** The state of the breaker. */
  public synchronized State state() {
    Limits now = limits;
    if (now == null || trouble == null || trouble.failures() < now.failures()) {
      return State.CLOSED;
    }
    return probing ? State.HALF_OPEN : State.OPEN;
  }

  /** How long polls must still pause; zero if the source may be asked. */
  public synchronized Duration left() {
    Duration left = Duration.ofNanos(end - nanos.getAsLong());
    return counts() && left.isPositive() ? left : Duration.ZERO;
  }

  /** Why the source may not be asked now, one line; empty if it may: open becomes half-open. */
  public synchronized Optional<String> whyNot() {
    Duration left = left();
    Trouble why = trouble;
    if (why == null || !left.isPositive()) {
      probing = state() != State.CLOSED;
      return Optional.empty();
    }
    String wait = " suspended for another " + TimeSpan.remaining(left);
    return Optional.of(
        state() == State.CLOSED
            ? source + " asked for a pause: calls" + wait + "; last: " + why.reason()
            : "circuit breaker open: calls to "
                + source
                + wait
                + " after "
                + why.failures()
                + " failures; last: "
                + why.reason());
  }

  /** Why polls are paused now, one line for health; empty if they are not. Changes nothing. */
  public synchronized Optional<String> suspended() {
    Duration left = left();
    if (trouble == null || !left.isPositive()) {
      return Optional.empty();
    }
    String what = state() == State.CLOSED ? "paused by its tracker" : "breaker open";
    return Optional.of(what + " for another " + TimeSpan.remaining(left) + ": " + trouble.reason());
  }

  /** The source was asked and could not be read. */
  public synchronized void failed(TrackerFailure failure, Instant now) {
    Limits by = limits;
    if (by == null) {
      return;
    }
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
      probing = false;
      if (failures >= by.failures() && wait.compareTo(by.open()) < 0) {
        wait = by.open();
      }
    }
    rest(failure.category(), failure.reason(), failures, limited, wait, now);
  }

  /**
   * The source was asked and read.
   *
   * @param retryAfter the pause that it asks for although it answered; zero for none
   */
  public synchronized void read(Duration retryAfter, Instant now) {
    probing = false;
    if (counts() && retryAfter.isPositive()) {
      String reason = "it answered, and asked for a pause; nothing to do";
      rest(Category.RATE_LIMITED, reason, 0, 0, retryAfter, now);
    } else {
      trouble = null;
      pause(Duration.ZERO);
    }
  }

  private void rest(
      Category category, String reason, int failures, int limited, Duration asked, Instant now) {
    Duration wait = shorter(asked, longest());
    pause(wait);
    Instant notBefore = wait.isPositive() ? now.plus(wait) : null;
    trouble = new Trouble(category.label(), reason, failures, limited, notBefore);
  }

  private void pause(Duration time) {
    end = nanos.getAsLong() + time.toNanos();
  }

  /** The rest of a pause by wall clocks of perhaps two machines: never longer than was written. */
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
    Limits now = limits;
    return now != null && now.open().compareTo(LONGEST) > 0 ? now.open() : LONGEST;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
