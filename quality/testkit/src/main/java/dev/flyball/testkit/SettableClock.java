package dev.flyball.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A wall clock and a monotonic ticker that move only when a test moves them. Thread-safe. */
public final class SettableClock implements InstantSource {
  /** The time of a new clock. */
  public static final Instant START = Instant.parse("2026-02-10T08:00:00Z");

  // Guarded by this.
  private Instant wall = START;
  private long nanos;

  @Override
  public synchronized Instant instant() {
    return wall;
  }

  /** The monotonic reading, in nanoseconds. */
  public synchronized long nanos() {
    return nanos;
  }

  /** Lets time pass: both readings go on. */
  public synchronized void advance(Duration duration) {
    wall = wall.plus(duration);
    nanos += duration.toNanos();
  }
}
