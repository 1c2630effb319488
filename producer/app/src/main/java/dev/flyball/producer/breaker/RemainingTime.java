package dev.flyball.producer.breaker;

import java.time.Duration;

/** A remaining time as text for a person: {@code 3m12s}. */
public final class RemainingTime {
  private RemainingTime() {}

  /** In hours, minutes and seconds, rounded up. */
  public static String text(Duration left) {
    long seconds = left.plusNanos(999_999_999).toSeconds();
    if (seconds < 60) {
      return seconds + "s";
    }
    return seconds < 3_600
        ? seconds / 60 + "m" + seconds % 60 + "s"
        : seconds / 3_600 + "h" + seconds % 3_600 / 60 + "m";
  }
}
