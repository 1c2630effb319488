package dev.flyball.program.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: 500ms, 2s, 10m, 1h, 7d. */
public final class DurationText {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");
  private static final Pattern ISO = Pattern.compile("\\bPT[0-9HMS.]+");

  private DurationText() {}

  /**
   * Reads a duration.
   *
   * @throws IllegalArgumentException if it is not a whole number and a unit; a bare number has no
   *     unit and is rejected
   */
  public static Duration parse(String text) {
    Matcher match = FORM.matcher(text.strip());
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

  /** The shortest exact spelling down to milliseconds. */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
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

  /** Replaces ISO durations in a message by our notation, for example PT3M by 3m. */
  static String readable(String message) {
    return ISO.matcher(message).replaceAll(found -> format(Duration.parse(found.group())));
  }
}
