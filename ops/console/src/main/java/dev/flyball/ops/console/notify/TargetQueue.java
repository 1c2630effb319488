package dev.flyball.ops.console.notify;

import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one target is sent, and when. The same is sent once in an hour, and no more than a number of
 * messages; alarms have a number apart, so that routine messages never hold one back. A summary
 * says how many were held back. Messages go in order, one at a time. One that fails is tried again
 * after waits of 2 s, 6 s, 18 s up to 5 min, for an hour; then the next one follows. Used by the
 * notifier's thread; {@link #trouble} by any.
 */
final class TargetQueue {
  private static final Logger LOG = LoggerFactory.getLogger(TargetQueue.class);

  /** Most messages in an hour, and as many alarms. */
  static final int PER_HOUR = 20;

  /**
   * How long the same is not sent again, a message is tried, and health reports one that failed.
   */
  static final Duration KEPT = Duration.ofHours(1);

  private static final long LONGEST_PAUSE_MS = Duration.ofMinutes(5).toMillis();

  private final NotifyTarget target;
  private final Function<Notification, Future<Optional<Failure>>> sender;
  private final Telemetry telemetry;

  /** What was let through within the hour, by its key; not what was given up. */
  private final Map<String, Message> recent = new HashMap<>();

  /** How many were held back since the last summary. */
  private final Map<Kind, Integer> held = new EnumMap<>(Kind.class);

  /** What is neither delivered nor given up; the quotas bound how many. */
  private final Deque<Message> queue = new ArrayDeque<>();

  /** The try of the first message, if one is in progress. */
  private @Nullable Future<Optional<Failure>> sending;

  /** Failures in a row, over messages: a target that is down is not asked sooner for each. */
  private int failures;

  private Instant notBefore = Instant.MIN;

  private volatile @Nullable Trouble trouble;

  private record Message(Notification notification, Instant came) {}

  private record Trouble(String reason, Instant at) {}

  /**
   * A target that was sent nothing yet.
   *
   * @param sender begins one try, in another thread
   */
  TargetQueue(
      NotifyTarget target,
      Function<Notification, Future<Optional<Failure>>> sender,
      Telemetry telemetry) {
    this.target = target;
    this.sender = sender;
    this.telemetry = telemetry;
    for (String outcome : List.of("sent", "failed", "dropped")) {
      telemetry.count(Metric.NOTIFICATIONS, 0, target.type().label(), outcome);
    }
  }

  NotifyTarget target() {
    return target;
  }

  /** Why the last message failed, one line; empty if none did for an hour. */
  Optional<String> trouble(Instant now) {
    return Optional.ofNullable(trouble)
        .filter(it -> now.isBefore(it.at().plus(KEPT)))
        .map(Trouble::reason);
  }

  /** Whether everything is delivered or given up. */
  boolean empty() {
    return queue.isEmpty();
  }

  /** Whether nothing waits that is delivered soon: a target that is down is not waited for. */
  boolean settled() {
    return queue.isEmpty() || failures > 0;
  }

  /** Whether a message is in progress, or begins with the next tick. */
  boolean busy() {
    return sending != null || !settled();
  }

  /** Takes a notification if it is for this target. One that is held back may come again. */
  void offer(Notification notification, Instant now) {
    target
        .seen(notification)
        .ifPresent(seen -> {
          boolean room = hasRoom(seen.kind(), now);
          if (recent.containsKey(seen.key())) {
            return;
          }
          if (room) {
            add(seen, now);
          } else {
            held.merge(seen.kind(), 1, Integer::sum);
            count("dropped");
          }
        });
  }

  /** Takes note of what ended, and begins what is due; never waits. */
  void tick(Instant now) {
    if (!held.isEmpty()) {
      summarize(now);
    }
    Future<Optional<Failure>> ended = sending;
    if (ended != null && ended.isDone()) {
      sending = null;
      take(
          ended.state() == Future.State.SUCCESS
              ? ended.resultNow()
              : Optional.of(new Failure("cannot be made: " + ended.exceptionNow(), true)),
          queue.getFirst(),
          now);
    }
    Message next = queue.peek();
    if (sending == null && next != null && !now.isBefore(notBefore)) {
      sending = sender.apply(next.notification());
    }
  }

  private void take(Optional<Failure> result, Message message, Instant now) {
    if (result.isEmpty()) {
      failures = 0;
      trouble = null;
      queue.remove();
      count("sent");
      return;
    }
    Failure failure = result.get();
    // No further message may come for weeks, and one that was rejected says little of the target.
    trouble = new Trouble(failure.reason(), now);
    failures++;
    double pause = Math.min(2_000 * Math.pow(3, failures - 1), (double) LONGEST_PAUSE_MS);
    Instant again = now.plusMillis((long) pause);
    boolean givenUp = failure.permanent() || again.isAfter(message.came().plus(KEPT));
    LOG.warn(
        "notification failed: target={} kind={} subject={} failures={} givenUp={} reason={}",
        target.name(),
        message.notification().kind().label(),
        message.notification().subject(),
        failures,
        givenUp,
        failure.reason());
    if (!givenUp) {
      notBefore = again;
      return;
    }
    if (failure.permanent()) {
      failures = 0;
    }
    queue.remove();
    // The target did not get it, so the next one of its key is sent. It was asked all the same, so
    // its quota counts it.
    recent.remove(message.notification().key());
    recent.put("given up: " + message.notification().key() + " " + now, message);
    count("failed");
  }

  /** Sends how many were held back, once a message of their kind may be sent. */
  private void summarize(Instant now) {
    Kind kind = held.containsKey(Kind.TROUBLE) ? Kind.TROUBLE : Kind.NOTICE;
    if (!hasRoom(kind, now)) {
      return;
    }
    int count = held.values().stream().mapToInt(Integer::intValue).sum();
    String kinds =
        held.entrySet().stream()
            .map(each -> each.getValue() + " " + each.getKey().label())
            .collect(Collectors.joining(", "));
    held.clear();
    String id = "held-" + now.toEpochMilli();
    add(
        Notification.ofSystem(
            id, kind, id, count + " more notifications were held back", kinds, now),
        now);
  }

  private boolean hasRoom(Kind kind, Instant now) {
    recent.values().removeIf(each -> !each.came().plus(KEPT).isAfter(now));
    return recent.values().stream()
            .filter(each -> each.notification().isAlarm() == (kind == Kind.TROUBLE))
            .count()
        < PER_HOUR;
  }

  private void add(Notification notification, Instant now) {
    var message = new Message(notification, now);
    recent.put(notification.key(), message);
    queue.add(message);
  }

  private void count(String outcome) {
    telemetry.count(Metric.NOTIFICATIONS, target.type().label(), outcome);
  }
}
