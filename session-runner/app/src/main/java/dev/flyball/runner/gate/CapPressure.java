package dev.flyball.runner.gate;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * Tracks whether the global cap stops this runner's claims. While requests wait, a permit that
 * becomes free is soon taken. So the cap is reported as no longer reached only 10 s after it last
 * stopped a claim. Pure; one thread.
 */
public final class CapPressure {
  private static final long CALM_NANOS = Duration.ofSeconds(10).toNanos();

  private boolean reached;
  private int limit;
  private long stoppedAt;

  /** Records whether requests wait now while all leases of the cap are open. */
  public void observe(boolean stopped, int cap, long nowNanos) {
    if (stopped) {
      reached = true;
      limit = cap;
      stoppedAt = nowNanos;
    } else if (nowNanos - stoppedAt >= CALM_NANOS) {
      reached = false;
    }
  }

  /** The cap that stops claims; empty if none does. */
  public OptionalInt reached() {
    return reached ? OptionalInt.of(limit) : OptionalInt.empty();
  }
}
