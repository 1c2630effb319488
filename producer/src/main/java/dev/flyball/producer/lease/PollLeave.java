package dev.flyball.producer.lease;

import dev.flyball.producer.source.Leave;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The leave that a poll lease gives. It counts from when the newest successful write to poll-state
 * began: a witness cannot have seen that record earlier, so it takes the lease over a full lease
 * later at the earliest, and a request that is begun one request's time before that has ended by
 * then. A frozen process that wakes up finds its leave gone, whatever it was doing.
 *
 * <p>Polling and beating thread call it at once.
 */
public final class PollLeave implements Leave {
  private final PollClocks clocks;
  private final LongSupplier nanos;

  /** Written by who writes poll-state; read by the poll. */
  private volatile Right right = new Right.Lost();

  /** Written by who stops the producer; read by the poll. */
  private volatile boolean stopping;

  /** Written by the poll; read by who gives the lease back. */
  private volatile boolean inUse;

  /** Nothing is granted yet. */
  public PollLeave(PollClocks clocks, LongSupplier nanos) {
    this.clocks = clocks;
    this.nanos = nanos;
  }

  /**
   * The lease was written.
   *
   * @param began when the write began, by this process' clock
   */
  public void renew(long began) {
    right = new Right.Until(began + clocks.lease().minus(clocks.request()).toNanos());
  }

  /** A write failed: the lease may be another's. */
  public void lose() {
    right = new Right.Lost();
  }

  /** Nothing more is asked. */
  public void stop() {
    stopping = true;
  }

  /** Whether nothing may be asked until the lease was written again. */
  public boolean isLost() {
    return switch (right) {
      case Right.Lost lost -> true;
      case Right.Until until -> nanos.getAsLong() - until.nanos() >= 0;
    };
  }

  /** Whether a poll is asking the tracker at this moment. */
  public boolean isInUse() {
    return inUse;
  }

  /** Asks the tracker. */
  public <T> T during(Supplier<T> asking) {
    inUse = true;
    try {
      return asking.get();
    } finally {
      inUse = false;
    }
  }

  @Override
  public void check() {
    if (stopping) {
      throw new LeaveLost("the producer stops");
    }
    if (isLost()) {
      throw new LeaveLost(
          "the poll lease was not renewed in time, so another producer may be polling by now");
    }
  }

  @Override
  public Duration limit() {
    return clocks.request();
  }

  /** Whether the tracker may be asked. */
  private sealed interface Right {
    /** Up to this moment of the clock, exclusive. */
    record Until(long nanos) implements Right {}

    /** Not. */
    record Lost() implements Right {}
  }
}
