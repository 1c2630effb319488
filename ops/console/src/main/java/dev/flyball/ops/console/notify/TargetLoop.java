package dev.flyball.ops.console.notify;

import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.TargetLimit;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one target's messages in order, in a separate thread, so that a target that is down delays
 * no other. A message is tried again until it is given up; then the next one follows.
 */
final class TargetLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TargetLoop.class);

  /** How long health reports a message that was given up. */
  static final Duration REPORTED = Duration.ofHours(1);

  private static final Duration SUMMARY_LOOK = Duration.ofSeconds(5);

  private final NotifyTarget target;
  private final MessageSender sender;
  private final TargetLimit limit;
  private final Retries retries;
  private final Telemetry telemetry;
  private final InstantSource clock;

  /** What waits: as many as the limit lets through until the first one is given up. */
  private final BlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();

  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Messages that are neither delivered nor given up. */
  private final AtomicInteger open = new AtomicInteger();

  /** Failures in a row, over messages: a target that is down is not asked sooner for each. */
  private volatile int failures;

  /** Why the last message failed; written by the loop's thread, read by health. */
  private volatile @Nullable Trouble trouble;

  /**
   * When a message that failed is tried again: after a wait that grows threefold. A target that
   * names a longer wait gets it.
   *
   * @param first the wait after the first failure
   * @param most the longest wait
   * @param giveUp how long after it came a message is still tried
   */
  record Retries(Duration first, Duration most, Duration giveUp) {
    /** 2 s, 6 s, 18 s ... 5 min, for an hour. */
    static final Retries DEFAULT =
        new Retries(Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ofHours(1));

    Duration wait(int failures, Duration asked) {
      double millis =
          Math.min(
              first.toMillis() * Math.pow(3, Math.min(failures - 1, 20)), (double) most.toMillis());
      Duration wait = Duration.ofMillis((long) millis);
      return asked.compareTo(wait) > 0 ? asked : wait;
    }
  }

  /**
   * Why a message failed.
   *
   * @param until when health forgets it; null while the message is still tried
   */
  private record Trouble(String line, @Nullable Instant until) {}

  private record Waiting(Notification notification, Instant came) {}

  TargetLoop(
      NotifyTarget target,
      MessageSender sender,
      Retries retries,
      Telemetry telemetry,
      InstantSource clock) {
    this.target = target;
    this.sender = sender;
    this.limit = new TargetLimit();
    this.retries = retries;
    this.telemetry = telemetry;
    this.clock = clock;
    for (String outcome : new String[] {"sent", "failed", "dropped"}) {
      telemetry.count(Metric.NOTIFICATIONS, 0, target.type().label(), outcome);
    }
  }

  NotifyTarget target() {
    return target;
  }

  /** What keeps messages from this target, one line; empty if nothing does. */
  Optional<String> trouble() {
    return Optional.ofNullable(trouble)
        .filter(it -> it.until() == null || clock.instant().isBefore(it.until()))
        .map(Trouble::line);
  }

  /** Whether nothing waits that is delivered soon: a target that is down is not waited for. */
  boolean settled() {
    return open.get() == 0 || failures > 0;
  }

  /** Takes a notification if it is for this target; never waits. Any thread. */
  void offer(Notification notification) {
    target
        .seen(notification)
        .ifPresent(seen -> {
          Instant now = clock.instant();
          switch (limit.decide(seen, now)) {
            case REPEAT -> {}
            case HELD -> count("dropped");
            case SEND -> queue(seen, now);
          }
        });
  }

  private void queue(Notification notification, Instant now) {
    open.incrementAndGet();
    queue.add(new Waiting(notification, now));
  }

  @Override
  public void run() {
    try {
      while (stopping.getCount() > 0) {
        Waiting next = queue.poll(SUMMARY_LOOK.toMillis(), TimeUnit.MILLISECONDS);
        if (next != null) {
          deliver(next);
        }
        limit.due(clock.instant()).ifPresent(held -> queue(held, clock.instant()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the loop; what waits is left. */
  void stop() {
    stopping.countDown();
  }

  private void deliver(Waiting message) throws InterruptedException {
    while (stopping.getCount() > 0) {
      try {
        sender.send(message.notification());
        failures = 0;
        trouble = null;
        ended("sent");
        return;
      } catch (MessageSender.Failure e) {
        if (failed(message, e)) {
          return;
        }
      } catch (RuntimeException e) {
        // A loop that has ended would look like a target without news.
        LOG.error("notification cannot be made: target={}", target.name(), e);
        lost(message);
        return;
      }
    }
  }

  /** Waits before the next try; returns whether the message was given up instead. */
  private boolean failed(Waiting message, MessageSender.Failure failure)
      throws InterruptedException {
    int inRow = failures + 1;
    failures = inRow;
    String line = String.valueOf(failure.getMessage());
    trouble = new Trouble(line, null);
    Duration wait = retries.wait(inRow, failure.pause());
    boolean late = clock.instant().plus(wait).isAfter(message.came().plus(retries.giveUp()));
    if (failure.permanent() || late) {
      LOG.warn(
          "notification given up: target={} type={} key={} reason={}",
          target.name(),
          message.notification().kind().label(),
          message.notification().subject(),
          line);
      // No further message may come for weeks, and one that was rejected says little of the target.
      trouble = new Trouble(line, clock.instant().plus(REPORTED));
      if (failure.permanent()) {
        failures = 0;
      }
      lost(message);
      return true;
    }
    LOG.info(
        "notification failed: target={} attempt={} pauseMs={} reason={}",
        target.name(),
        inRow,
        wait.toMillis(),
        line);
    var _ = stopping.await(wait.toMillis(), TimeUnit.MILLISECONDS);
    return false;
  }

  private void lost(Waiting message) {
    limit.undelivered(message.notification());
    ended("failed");
  }

  private void ended(String outcome) {
    count(outcome);
    open.decrementAndGet();
  }

  private void count(String outcome) {
    telemetry.count(Metric.NOTIFICATIONS, target.type().label(), outcome);
  }
}
