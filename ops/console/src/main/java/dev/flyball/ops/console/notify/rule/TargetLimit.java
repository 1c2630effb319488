package dev.flyball.ops.console.notify.rule;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How often one target is notified: of the same thing once in an hour, and not more messages than a
 * bucket of tokens allows, which an hour fills. Alarms have a bucket apart, so that routine
 * messages never hold one back. A summary tells how many were held back. Guarded by its monitor.
 */
public final class TargetLimit {
  /** Most messages in an hour, all of which may come together, and as many alarms. */
  public static final int PER_HOUR = 20;

  /** How long the same is not sent again. */
  public static final Duration REPEAT = Duration.ofHours(1);

  private static final int MOST_KEYS = 10_000;

  /** When a notification of each key was last let through, oldest first. */
  private final LinkedHashMap<String, Instant> last = new LinkedHashMap<>();

  private final Bucket routine;
  private final Bucket alarms;

  /** How many were held back since the last summary. */
  private final Map<Notification.Kind, Integer> held = new EnumMap<>(Notification.Kind.class);

  /** Begins with full buckets. */
  public TargetLimit(Instant now) {
    this.routine = new Bucket(now);
    this.alarms = new Bucket(now);
  }

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
    if (!bucket(notification.kind()).take(now)) {
      hold(notification);
      return Decision.HELD;
    }
    if (last.size() == MOST_KEYS) {
      last.pollFirstEntry();
    }
    last.put(notification.key(), now);
    return Decision.SEND;
  }

  /** Counts a notification that found no room. */
  public synchronized void overflowed(Notification notification) {
    undelivered(notification);
    hold(notification);
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
    if (held.isEmpty() || !bucket(first).take(now)) {
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

  private Bucket bucket(Notification.Kind kind) {
    return kind == Notification.Kind.TROUBLE ? alarms : routine;
  }

  private void hold(Notification notification) {
    held.merge(notification.kind(), 1, Integer::sum);
  }

  /** Tokens that an hour fills. */
  private static final class Bucket {
    private double tokens = PER_HOUR;
    private Instant filled;

    Bucket(Instant now) {
      this.filled = now;
    }

    boolean take(Instant now) {
      double hours = Math.max(0, Duration.between(filled, now).toMillis()) / 3_600_000.0;
      tokens = Math.min(PER_HOUR, tokens + hours * PER_HOUR);
      filled = now;
      if (tokens < 1) {
        return false;
      }
      tokens -= 1;
      return true;
    }
  }
}
