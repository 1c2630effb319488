package dev.flyball.ops.console.notify.rule;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How often one target is notified: the same kind and subject once within a window, and not more
 * messages than a bucket of tokens allows, which an hour fills. Alarms have a bucket apart, so that
 * routine messages never hold one back, and an alarm that is held back is sent later: it is raised
 * once, when its condition begins. Guarded by its monitor.
 */
public final class TargetLimit {
  private static final int MOST_KEYS = 10_000;

  private final Duration repeat;

  /** When a notification of each key was last let through, oldest first. */
  private final LinkedHashMap<String, Instant> last = new LinkedHashMap<>();

  private final Bucket routine;
  private final Bucket alarms;

  /** Alarms that wait for a token, by key, oldest first. */
  private final LinkedHashMap<String, Notification> waiting = new LinkedHashMap<>();

  /** How many others were held back since the last summary. */
  private final Map<NotificationKind, Integer> held = new EnumMap<>(NotificationKind.class);

  /**
   * Begins with full buckets.
   *
   * @param perHour most messages of an hour, and as many alarms
   * @param repeat the window of repeats; zero for none
   */
  public TargetLimit(int perHour, Duration repeat, Instant now) {
    this.repeat = repeat;
    this.routine = new Bucket(perHour, now);
    this.alarms = new Bucket(perHour, now);
  }

  /** What becomes of a notification. */
  public enum Decision {
    /** It is sent. */
    SEND,
    /** The same was sent within the window. */
    REPEAT,
    /** It is counted for a summary, or sent later if it is an alarm. */
    HELD
  }

  /** Decides on a notification. One that is held back may come again: it was never sent. */
  public synchronized Decision decide(Notification notification, Instant now) {
    last.values().removeIf(at -> !at.plus(repeat).isAfter(now));
    if (last.containsKey(notification.key())) {
      return Decision.REPEAT;
    }
    if (!(notification.kind().alarm() ? alarms : routine).take(now)) {
      hold(notification);
      return Decision.HELD;
    }
    sent(notification, now);
    return Decision.SEND;
  }

  /** Holds back a notification that found no room. */
  public synchronized void overflowed(Notification notification) {
    last.remove(notification.key());
    hold(notification);
  }

  /**
   * Forgets a notification that the target did not get, so that the next one of its key is sent.
   */
  public synchronized void undelivered(Notification notification) {
    last.remove(notification.key());
  }

  /** An alarm that was held back, else how many others were, if a message may be sent now. */
  public synchronized Optional<Notification> due(Instant now) {
    if (!waiting.isEmpty() && alarms.take(now)) {
      Notification alarm = waiting.firstEntry().getValue();
      sent(alarm, now);
      return Optional.of(alarm);
    }
    if (held.isEmpty() || !routine.take(now)) {
      return Optional.empty();
    }
    int count = held.values().stream().mapToInt(Integer::intValue).sum();
    String kinds =
        held.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .map(each -> each.getValue() + " " + each.getKey().label())
            .collect(Collectors.joining(", "));
    held.clear();
    return Optional.of(
        new Notification(
            "held-" + now.toEpochMilli(),
            NotificationKind.NOTICE,
            "-",
            null,
            count + " more notifications were held back",
            "",
            kinds,
            false,
            now));
  }

  private void hold(Notification notification) {
    if (notification.kind().alarm() && waiting.size() < MOST_KEYS) {
      waiting.putIfAbsent(notification.key(), notification);
    } else {
      held.merge(notification.kind(), 1, Integer::sum);
    }
  }

  private void sent(Notification notification, Instant now) {
    waiting.remove(notification.key());
    if (last.size() == MOST_KEYS) {
      last.pollFirstEntry();
    }
    last.put(notification.key(), now);
  }

  /** Tokens that an hour fills. */
  private static final class Bucket {
    private final int perHour;
    private double tokens;
    private Instant filled;

    Bucket(int perHour, Instant now) {
      this.perHour = perHour;
      this.tokens = perHour;
      this.filled = now;
    }

    boolean take(Instant now) {
      double hours = Math.max(0, Duration.between(filled, now).toMillis()) / 3_600_000.0;
      tokens = Math.min(perHour, tokens + hours * perHour);
      filled = now;
      if (tokens < 1) {
        return false;
      }
      tokens -= 1;
      return true;
    }
  }
}
