package dev.flyball.contract.text;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Time spans as text for a person. */
public final class TimeSpan {
  private static final Pattern EXACT = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");

  private TimeSpan() {}

  /** An age in at most two units, rounded down: {@code 12s}, {@code 2h 10m}; never negative. */
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

  /** The shortest exact spelling down to milliseconds, as people write it: {@code 500ms}. */
  public static String exact(Duration span) {
    long millis = span.toMillis();
    if (millis == 0 || millis % 1000 != 0) {
      return millis == 0 ? "0s" : millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3600 == 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /**
   * Reads what people write: 500ms, 2s, 10m, 1h, 7d.
   *
   * @throws IllegalArgumentException if it is not a whole number and a unit; a bare number has no
   *     unit and is rejected
   */
  public static Duration parse(String text) {
    Matcher match = EXACT.matcher(text.strip());
    if (!match.matches()) {
      throw new IllegalArgumentException(text);
    }
    long amount = Long.parseLong(match.group(1));
    return switch (match.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }
}
