package dev.flyball.program.terminal;

import java.time.Duration;

/** Time spans as text for a person: two units at most. */
public final class Age {
  private Age() {}

  /**
   * A span as text, for example {@code 12s}, {@code 3m 5s}, {@code 2h 10m} or {@code 9d 4h}; never
   * negative.
   */
  public static String of(Duration span) {
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
}
