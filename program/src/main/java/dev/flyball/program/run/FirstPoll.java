package dev.flyball.program.run;

import dev.flyball.producer.PollReport;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The one poll of a run. A service tries again by itself, so an obstacle that passes within a
 * minute must not end a run either. Used by one thread.
 */
final class FirstPoll {
  /** Longer than any transaction stays open, including the pause until the next try. */
  static final Duration PATIENCE = Duration.ofSeconds(90);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Supplier<PollReport> poll;
  private final BooleanSupplier over;
  private final Consumer<String> waiting;
  private final LongSupplier nanos;
  private final Pause pause;

  /**
   * Polls nothing yet.
   *
   * @param over whether the run is over, so that no result is needed any more
   * @param waiting called once with what the poll waits for
   * @param nanos a monotonic clock
   */
  FirstPoll(
      Supplier<PollReport> poll,
      BooleanSupplier over,
      Consumer<String> waiting,
      LongSupplier nanos,
      Pause pause) {
    this.poll = poll;
    this.over = over;
    this.waiting = waiting;
    this.nanos = nanos;
    this.pause = pause;
  }

  /** How to wait. */
  @FunctionalInterface
  interface Pause {
    void sleep(Duration time) throws InterruptedException;
  }

  /** Polls, several times if the obstacle passes by itself; returns the last report. */
  PollReport report() {
    long began = nanos.getAsLong();
    PollReport report = poll.get();
    if (report instanceof PollReport.Skipped skipped && isTriedAgain(report, began)) {
      waiting.accept(skipped.reason() + "; trying again for up to " + PATIENCE.toSeconds() + " s");
    }
    while (isTriedAgain(report, began) && paused()) {
      report = poll.get();
    }
    return report;
  }

  private boolean isTriedAgain(PollReport report, long began) {
    return report instanceof PollReport.Skipped skipped
        && skipped.passes()
        && !over.getAsBoolean()
        && nanos.getAsLong() - began < PATIENCE.toNanos();
  }

  /** Waits for the next try; returns whether its result is still needed. */
  private boolean paused() {
    try {
      pause.sleep(PAUSE);
      return !over.getAsBoolean();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
