package dev.flyball.runner.gate;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * Whether the global cap stops this runner's claims. While requests wait, a permit that becomes
 * free is taken within a moment, so the cap is left behind only after nothing was stopped for a
 * while. Pure; one thread.
 */
public final class CapPressure {
  private static final long CALM_NANOS = Duration.ofSeconds(10).toNanos();

  private boolean reached;
  private int limit;
  private long stoppedAt;

  /** Whether requests wait and the cap's leases are all open, now. */
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
