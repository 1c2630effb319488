package dev.flyball.producer.lease;

import dev.flyball.tracker.RequestPermission;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permission to ask a tracker, which a poll lease gives. It counts from when the newest
 * successful write to poll-state began. A witness cannot have seen that record earlier, so it takes
 * the lease over one full lease later at the earliest. The permission ends one request's limit
 * before that, so a request begun under it has ended by then. A frozen process that wakes up has
 * lost the permission, whatever it was doing.
 *
 * <p>The polling thread and the renewing thread may call it at the same time.
 */
public final class PollPermission implements RequestPermission {
  private final PollClocks clocks;
  private final LongSupplier nanos;

  /**
   * When it ends, by the monotonic clock; null while it is lost. Written by the thread that writes
   * poll-state; read by the poll.
   */
  private volatile @Nullable Long end;

  /** Written by the thread that stops the producer; read by the poll. */
  private volatile boolean stopping;

  /** Written by the poll; read by the thread that gives the lease back. */
  private volatile boolean inUse;

  /** Gives no permission before the first {@link #renew}. */
  public PollPermission(PollClocks clocks, LongSupplier nanos) {
    this.clocks = clocks;
    this.nanos = nanos;
  }

  /**
   * The lease was written.
   *
   * @param began when the write began, by this process' monotonic clock
   */
  public void renew(long began) {
    end = began + clocks.lease().minus(clocks.request()).toNanos();
  }

  /** A write failed: another producer may hold the lease. */
  public void lose() {
    end = null;
  }

  /** The producer stops: no further request is permitted. */
  public void stop() {
    stopping = true;
  }

  /** Whether no request is permitted until the lease is written again. */
  public boolean isLost() {
    Long until = end;
    return until == null || nanos.getAsLong() - until >= 0;
  }

  /** Whether a poll is asking the tracker at this moment. */
  public boolean isInUse() {
    return inUse;
  }

  /** Runs requests to the tracker; {@link #isInUse} is true meanwhile. */
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
      throw new PermissionLost("the producer stops");
    }
    if (isLost()) {
      throw new PermissionLost(
          "the poll lease was not renewed in time, so another producer may be polling by now");
    }
  }

  @Override
  public Duration limit() {
    return clocks.request();
  }
}
