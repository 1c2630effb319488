package dev.flyball.ops.console.notify.rule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How often one target is notified: of the same thing once in an hour, and of no more than a number
 * of things. Alarms have a number apart, so that routine messages never hold one back. A summary
 * tells how many were held back. Guarded by its monitor.
 */
public final class TargetLimit {
  /** Most messages in an hour, and as many alarms. */
  public static final int PER_HOUR = 20;

  /** How long the same is not sent again. */
  public static final Duration REPEAT = Duration.ofHours(1);

  /** When a notification of each key was last let through; the quotas bound how many are kept. */
  private final Map<String, Instant> last = new HashMap<>();

  /** When messages of the last hour were let through, oldest first. */
  private final Deque<Instant> routine = new ArrayDeque<>();

  private final Deque<Instant> alarms = new ArrayDeque<>();

  /** How many were held back since the last summary. */
  private final Map<Notification.Kind, Integer> held = new EnumMap<>(Notification.Kind.class);

  /** What becomes of a notification. */
  public enum Decision {
    /** It is sent. */
    SEND,
    /** The same was sent within the hour. */
    REPEAT,
    /** It is counted for a summary. */
    HELD
  }

  /** Decides on a notification. One that is held back may come again: it was never sent. */
  public synchronized Decision decide(Notification notification, Instant now) {
    last.values().removeIf(at -> !at.plus(REPEAT).isAfter(now));
    if (last.containsKey(notification.key())) {
      return Decision.REPEAT;
    }
    if (!permitted(notification.kind(), now)) {
      held.merge(notification.kind(), 1, Integer::sum);
      return Decision.HELD;
    }
    last.put(notification.key(), now);
    return Decision.SEND;
  }

  /**
   * Forgets a notification that the target did not get, so that the next one of its key is sent.
   */
  public synchronized void undelivered(Notification notification) {
    last.remove(notification.key());
  }

  /** How many were held back, if a message of their kind may be sent now; of alarms first. */
  public synchronized Optional<Notification> due(Instant now) {
    Notification.Kind first =
        held.containsKey(Notification.Kind.TROUBLE)
            ? Notification.Kind.TROUBLE
            : Notification.Kind.NOTICE;
    if (held.isEmpty() || !permitted(first, now)) {
      return Optional.empty();
    }
    int count = held.values().stream().mapToInt(Integer::intValue).sum();
    String kinds =
        held.entrySet().stream()
            .map(each -> each.getValue() + " " + each.getKey().label())
            .collect(Collectors.joining(", "));
    held.clear();
    return Optional.of(
        Notification.ofSystem(
            "held-" + now.toEpochMilli(),
            Notification.Kind.NOTICE,
            "held",
            count + " more notifications were held back",
            kinds,
            now));
  }

  private boolean permitted(Notification.Kind kind, Instant now) {
    Deque<Instant> sent = kind == Notification.Kind.TROUBLE ? alarms : routine;
    sent.removeIf(at -> !at.plus(REPEAT).isAfter(now));
    return sent.size() < PER_HOUR && sent.add(now);
  }
}
