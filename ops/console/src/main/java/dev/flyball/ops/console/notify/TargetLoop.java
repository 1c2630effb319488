package dev.flyball.ops.console.notify;

import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.RetrySchedule;
import dev.flyball.ops.console.notify.rule.TargetLimit;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one target's messages in order, in a separate thread, so that a target that is down delays
 * no other. A message is tried again until it is given up; then the next one follows.
 */
final class TargetLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(TargetLoop.class);

  /** Most messages that wait for one target. */
  static final int ROOM = 100;

  /** How long health reports a message that was given up. */
  static final Duration REPORTED = Duration.ofHours(1);

  private static final Duration SUMMARY_LOOK = Duration.ofSeconds(5);

  private final NotifyTarget target;
  private final MessageSender sender;
  private final TargetLimit limit;
  private final RetrySchedule retries;
  private final Telemetry telemetry;
  private final InstantSource clock;
  private final BlockingQueue<Waiting> queue = new ArrayBlockingQueue<>(ROOM);
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Failures in a row; used by the loop's thread. */
  private int failures;

  /** Why the last message failed; written by the loop's thread, read by health. */
  private volatile @Nullable Trouble trouble;

  /**
   * Why a message failed.
   *
   * @param until when health forgets it; null while the message is still tried
   */
  private record Trouble(String line, @Nullable Instant until) {}

  /**
   * A message in the queue.
   *
   * @param ended is called once, when it was delivered or given up
   */
  private record Waiting(Notification notification, Instant came, Runnable ended) {}

  TargetLoop(
      NotifyTarget target,
      MessageSender sender,
      NotifyConfig.Limits limits,
      RetrySchedule retries,
      Telemetry telemetry,
      InstantSource clock) {
    this.target = target;
    this.sender = sender;
    this.limit = new TargetLimit(limits.perHour(), limits.repeat(), clock.instant());
    this.retries = retries;
    this.telemetry = telemetry;
    this.clock = clock;
    for (String outcome : new String[] {"sent", "failed", "dropped"}) {
      telemetry.count(Metric.NOTIFICATIONS, 0, target.channel().label(), outcome);
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

  /**
   * Takes a notification if it is for this target; never waits. Any thread.
   *
   * @param began is called before a message enters the queue
   * @param ended is called when that message was delivered or given up
   */
  void offer(Notification notification, Runnable began, Runnable ended) {
    Optional<Notification> seen = target.rule().seen(notification);
    if (seen.isEmpty()) {
      return;
    }
    Instant now = clock.instant();
    switch (limit.decide(seen.get(), now)) {
      case REPEAT -> {}
      case HELD -> count("dropped");
      case SEND -> {
        began.run();
        if (!queue.offer(new Waiting(seen.get(), now, ended))) {
          limit.overflowed(seen.get());
          count("dropped");
          ended.run();
        }
      }
    }
  }

  @Override
  public void run() {
    try {
      while (stopping.getCount() > 0) {
        Waiting next = queue.poll(SUMMARY_LOOK.toMillis(), TimeUnit.MILLISECONDS);
        if (next != null) {
          deliver(next);
        }
        if (queue.remainingCapacity() > 0) {
          limit.due(clock.instant()).ifPresent(this::queueLater);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void queueLater(Notification held) {
    if (!queue.offer(new Waiting(held, clock.instant(), () -> {}))) {
      limit.overflowed(held);
    }
  }

  /** Ends the loop; what waits stays for the next start. */
  void stop() {
    stopping.countDown();
  }

  private void deliver(Waiting message) throws InterruptedException {
    while (stopping.getCount() > 0) {
      try {
        sender.send(message.notification());
        failures = 0;
        trouble = null;
        count("sent");
        message.ended().run();
        return;
      } catch (SendFailure e) {
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
  private boolean failed(Waiting message, SendFailure failure) throws InterruptedException {
    failures++;
    String line = String.valueOf(failure.getMessage());
    trouble = new Trouble(line, null);
    Optional<Duration> wait =
        failure.permanent()
            ? Optional.empty()
            : retries.next(
                failures,
                failure.pause(),
                Duration.between(message.came(), clock.instant()),
                ThreadLocalRandom.current().nextDouble());
    if (wait.isEmpty()) {
      LOG.warn(
          "notification given up: target={} type={} key={} reason={}",
          target.name(),
          message.notification().kind().label(),
          message.notification().subject(),
          failure.getMessage());
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
        failures,
        wait.get().toMillis(),
        failure.getMessage());
    var _ = stopping.await(wait.get().toMillis(), TimeUnit.MILLISECONDS);
    return false;
  }

  private void lost(Waiting message) {
    limit.undelivered(message.notification());
    count("failed");
    message.ended().run();
  }

  private void count(String outcome) {
    telemetry.count(Metric.NOTIFICATIONS, target.channel().label(), outcome);
  }
}
