package dev.flyball.producer.breaker;

import dev.flyball.contract.poll.Trouble;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether one source may be asked now. A breaker keeps its knowledge in poll-state, so it continues
 * after restarts and takeovers. Waits are measured by this process' own monotonic clock, from the
 * moment at which the process learns of them: a stepped wall clock makes none of them longer. Any
 * thread.
 */
public interface Breaker {
  /** The breaker of a file, which may always be read. */
  Breaker NONE = new NoBreaker();

  /**
   * Closed: the source is polled. Open: polls are paused. Half-open: one poll is allowed, and its
   * result closes or opens the breaker.
   */
  enum State {
    CLOSED(0),
    HALF_OPEN(1),
    OPEN(2);

    private final int figure;

    State(int figure) {
      this.figure = figure;
    }

    /** The figure in metrics. */
    public int figure() {
      return figure;
    }
  }

  /** Whether failures are recorded in poll-state and counted. */
  boolean counts();

  /**
   * Continues from what poll-state records.
   *
   * @param known null if the last poll went well
   * @param polledAt when that poll ended
   * @param now by this process' wall clock
   */
  void restore(@Nullable Trouble known, Optional<Instant> polledAt, Instant now);

  /** What poll-state is to record about the tracker; null if nothing is wrong. */
  @Nullable Trouble trouble();

  /** The state of the breaker. */
  State state();

  /** How long polls must still pause; zero if the source may be asked. */
  Duration left();

  /**
   * Why the source may not be asked now, one line; empty if it may. In that case an open breaker
   * becomes half-open.
   */
  Optional<String> whyNot();

  /** Why polls are paused now, one line for health; empty if they are not. Changes nothing. */
  default Optional<String> suspended() {
    Trouble trouble = trouble();
    Duration left = left();
    if (trouble == null || !left.isPositive()) {
      return Optional.empty();
    }
    String what = state() == State.CLOSED ? "paused by its tracker" : "breaker open";
    return Optional.of(what + " for another " + TimeSpan.remaining(left) + ": " + trouble.reason());
  }

  /** The source was asked and could not be read. */
  void failed(TrackerFailure failure, Instant now);

  /**
   * The source was asked and read.
   *
   * @param retryAfter the pause that it asks for although it answered; zero for none
   */
  void read(Duration retryAfter, Instant now);

  /** The breaker of a source that needs none: always closed. */
  final class NoBreaker implements Breaker {
    private NoBreaker() {}

    @Override
    public boolean counts() {
      return false;
    }

    @Override
    public void restore(@Nullable Trouble known, Optional<Instant> polledAt, Instant now) {}

    @Override
    public @Nullable Trouble trouble() {
      return null;
    }

    @Override
    public State state() {
      return State.CLOSED;
    }

    @Override
    public Duration left() {
      return Duration.ZERO;
    }

    @Override
    public Optional<String> whyNot() {
      return Optional.empty();
    }

    @Override
    public void failed(TrackerFailure failure, Instant now) {}

    @Override
    public void read(Duration retryAfter, Instant now) {}
  }
}
