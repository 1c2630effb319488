package dev.flyball.producer;

import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.source.SourceConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls one source at its interval, in a thread of its own. The interval counts from the last poll
 * of anybody, also over a restart (S0-5: a start is no free trigger); a source that was never
 * polled is due at once. While another producer holds the lease, this one watches.
 */
final class PollLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PollLoop.class);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 3;

  private final SourceConfig config;
  private final SourcePoller poller;
  private final LeasedCursor cursor;
  private final PollReporter reporter;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Whether poll-state was read once; written by this loop, read by health. */
  private volatile boolean ready;

  /** Polls that failed in a row; this loop's own. */
  private int failures;

  PollLoop(SourceConfig config, SourcePoller poller, LeasedCursor cursor, PollReporter reporter) {
    this.config = config;
    this.poller = poller;
    this.cursor = cursor;
    this.reporter = reporter;
  }

  @Override
  public void run() {
    try {
      Duration wait = Duration.ZERO;
      while (!stopping.await(wait.toNanos(), TimeUnit.NANOSECONDS)) {
        wait = step();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    stopping.countDown();
  }

  boolean ready() {
    return ready;
  }

  /** One look; answers how long to wait for the next. */
  private Duration step() {
    try {
      if (!cursor.held()) {
        cursor.look();
      }
      ready = true;
      Duration wait = untilDue();
      if (wait.isPositive()) {
        return wait;
      }
      if (cursor.heldByAnother()) {
        return RETRY;
      }
      if (cursor.held() && poller.nothingNew()) {
        return config.interval();
      }
      return waitAfter(poller.poll());
    } catch (RuntimeException e) {
      LOG.warn(
          "source {}: {}; trying again in {}s", config.key(), e.getMessage(), RETRY.toSeconds());
      return RETRY;
    } catch (Error e) {
      // A loop that has ended looks like a source in which nothing happens.
      LOG.error("source {}: trying again in {}s", config.key(), RETRY.toSeconds(), e);
      return RETRY;
    }
  }

  /** A failing source is asked less often, up to every 40 s: each failure is an event. */
  private Duration waitAfter(PollReport report) {
    return switch (report) {
      case PollReport.Finished finished -> {
        failures = 0;
        yield config.interval();
      }
      case PollReport.Skipped skipped -> RETRY;
      case PollReport.Failed failed -> {
        Duration wait = RETRY.multipliedBy(1L << Math.min(failures++, MAX_DOUBLINGS));
        yield wait.compareTo(config.interval()) > 0 ? wait : config.interval();
      }
    };
  }

  private Duration untilDue() {
    return untilDue(reporter.now(), cursor.polledAt(), config.interval());
  }

  /**
   * How long until the next poll is due; not positive if it is. By wall clocks, possibly of two
   * machines, so never longer than one interval.
   */
  static Duration untilDue(Instant now, Optional<Instant> polledAt, Duration interval) {
    return polledAt
        .map(at -> Duration.between(now, at.plus(interval)))
        .map(wait -> wait.compareTo(interval) > 0 ? interval : wait)
        .orElse(Duration.ZERO);
  }
}
