package dev.flyball.producer.breaker;

import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.source.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether one source may be asked now. What it knows is what poll-state holds, so it goes on over
 * restarts and takeovers. Waits are measured by this process' own monotonic clock from the moment
 * at which they are learnt: a stepped wall clock makes none of them longer. Any thread.
 */
public interface Breaker {
  /** Of a file: nobody is hurt by reading it. */
  Breaker NONE = new NoBreaker();

  /** Closed: asked. Open: left alone. Half-open: asked once, which decides. */
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

  /** Whether failures are kept in poll-state and count. */
  boolean counts();

  /**
   * Goes on from what poll-state says.
   *
   * @param known null if the last poll went well
   * @param polledAt when that poll ended
   * @param now by this process' wall clock
   */
  void restore(@Nullable Trouble known, Optional<Instant> polledAt, Instant now);

  /** What poll-state is to say. */
  @Nullable Trouble trouble();

  /** How it stands. */
  State state();

  /** How long it must still be left alone; zero if it may be asked. */
  Duration left();

  /** Why it may not be asked now, one line; empty if it may. An open one then is half-open. */
  Optional<String> refusal();

  /** Why it is left alone just now, one line for health; empty if it is not. Changes nothing. */
  default Optional<String> suspended() {
    Trouble trouble = trouble();
    Duration left = left();
    if (trouble == null || !left.isPositive()) {
      return Optional.empty();
    }
    String what = state() == State.CLOSED ? "paused by its tracker" : "breaker open";
    return Optional.of(what + " for another " + Left.text(left) + ": " + trouble.reason());
  }

  /** It was asked and could not be read. */
  void failed(Failure failure, Instant now);

  /**
   * It was asked and read.
   *
   * @param retryAfter the pause that it asks for all the same
   */
  void read(Duration retryAfter, Instant now);

  /** The breaker of a source that needs none. */
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
    public Optional<String> refusal() {
      return Optional.empty();
    }

    @Override
    public void failed(Failure failure, Instant now) {}

    @Override
    public void read(Duration retryAfter, Instant now) {}
  }
}
