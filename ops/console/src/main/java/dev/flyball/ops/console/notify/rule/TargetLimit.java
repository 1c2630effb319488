package dev.flyball.ops.console.notify.rule;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * How often one target is notified: the same kind and subject once within a window, and not more
 * messages than a bucket of tokens allows, which an hour fills. Guarded by its monitor.
 */
public final class TargetLimit {
  private static final int MOST_KEYS = 10_000;

  private final int perHour;
  private final Duration repeat;

  /** When a notification of each key was last let through, oldest first. */
  private final LinkedHashMap<String, Instant> last = new LinkedHashMap<>();

  private double tokens;
  private Instant filled;
  private int held;

  /**
   * Begins with a full bucket.
   *
   * @param perHour most messages of an hour
   * @param repeat the window of repeats; zero for none
   */
  public TargetLimit(int perHour, Duration repeat, Instant now) {
    this.perHour = perHour;
    this.repeat = repeat;
    this.tokens = perHour;
    this.filled = now;
  }

  /** What becomes of a notification. */
  public enum Decision {
    /** It is sent. */
    SEND,
    /** The same was sent within the window. */
    REPEAT,
    /** It is counted for a summary. */
    HELD
  }

  /** Decides on a notification. One that is held back may come again: it was never sent. */
  public synchronized Decision decide(Notification notification, Instant now) {
    last.values().removeIf(at -> !at.plus(repeat).isAfter(now));
    if (last.containsKey(notification.key())) {
      return Decision.REPEAT;
    }
    if (!take(now)) {
      held++;
      return Decision.HELD;
    }
    if (last.size() == MOST_KEYS) {
      last.pollFirstEntry();
    }
    last.put(notification.key(), now);
    return Decision.SEND;
  }

  /** Counts a notification that found no room, so that the summary names it. */
  public synchronized void overflowed(Notification notification) {
    last.remove(notification.key());
    held++;
  }

  /**
   * Forgets a notification that the target did not get, so that the next one of its key is sent.
   */
  public synchronized void undelivered(Notification notification) {
    last.remove(notification.key());
  }

  /** How many were held back since the last summary, if a message may be sent now. */
  public synchronized Optional<Notification> summary(Instant now) {
    if (held == 0 || !take(now)) {
      return Optional.empty();
    }
    int count = held;
    held = 0;
    return Optional.of(
        new Notification(
            "held-" + now.toEpochMilli(),
            NotificationKind.NOTICE,
            "-",
            null,
            count + " more notifications were held back",
            "",
            "",
            false,
            now));
  }

  private boolean take(Instant now) {
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
