package dev.flyball.contract.text;

import java.time.Duration;

/** Time spans as text for a person: two units at most, never negative. */
public final class TimeSpan {
  private TimeSpan() {}

  /** An age, rounded down: {@code 12s}, {@code 3m 5s}, {@code 2h 10m} or {@code 9d 4h}. */
  public static String age(Duration span) {
    Duration age = span.isNegative() ? Duration.ZERO : span;
    if (age.toMinutes() < 1) {
      return age.toSeconds() + "s";
    }
    if (age.toHours() < 1) {
      return age.toMinutes() + "m " + age.toSecondsPart() + "s";
    }
    return age.toDays() < 1
        ? age.toHours() + "h " + age.toMinutesPart() + "m"
        : age.toDays() + "d " + age.toHoursPart() + "h";
  }

  /** A remaining time, rounded up to seconds, in the same units. */
  public static String remaining(Duration span) {
    return age(Duration.ofSeconds(span.plusNanos(999_999_999).toSeconds()));
  }
}
