package dev.flyball.program.config;

import dev.flyball.ops.telemetry.ListenAddress;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How a value is written, and which values are accepted.
 *
 * @param allowed what a person may write, for messages and docs/configuration.md
 * @param parser throws IllegalArgumentException for anything else; its message is not shown, {@code
 *     allowed} is
 */
record ValueType<T>(String allowed, Function<String, T> parser) {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})\\s*([KMG](?:i?B)?|B)?");

  static final ValueType<Duration> DURATION =
      new ValueType<>("a duration, for example 500ms, 2s, 10m, 1h or 7d", DurationText::parse);

  static final ValueType<Long> SIZE_BYTES =
      new ValueType<>("a size, for example 16KiB or 64MB", ValueType::size);

  static final ValueType<String> TEXT = new ValueType<>("text", ValueType::text);

  static final ValueType<Path> PATH = new ValueType<>("a path", text -> Path.of(text(text)));

  static final ValueType<List<String>> NAMES =
      new ValueType<>("a list, for example [A, B]", ValueType::names);

  static final ValueType<Long> MICROS =
      new ValueType<>("dollars, for example 0.50", ValueType::micros);

  static final ValueType<ListenAddress> LISTEN =
      new ValueType<>("host:port, port 0 is any free one", ListenAddress::parse);

  /**
   * Rejects a text that is not allowed.
   *
   * @throws IllegalArgumentException or ArithmeticException if the text is not allowed
   */
  void check(String text) {
    var _ = parser.apply(text);
  }

  static ValueType<Integer> integer(int from, int to) {
    return new ValueType<>(
        "a whole number from " + from + " to " + to,
        text -> {
          int value = Integer.parseInt(text);
          if (value < from || value > to) {
            throw new IllegalArgumentException(text);
          }
          return value;
        });
  }

  static ValueType<Long> whole(long from, long to) {
    return new ValueType<>(
        "a whole number from " + from + " to " + to,
        text -> {
          long value = Long.parseLong(text);
          if (value < from || value > to) {
            throw new IllegalArgumentException(text);
          }
          return value;
        });
  }

  static ValueType<Double> number(double above, double to) {
    return new ValueType<>(
        "a number above " + above + ", at most " + to,
        text -> {
          double value = Double.parseDouble(text);
          if (!(value > above && value <= to)) {
            throw new IllegalArgumentException(text);
          }
          return value;
        });
  }

  static ValueType<String> oneOf(String... words) {
    List<String> all = List.of(words);
    return new ValueType<>(
        all.size() == 1 ? "only " + all.getFirst() : "one of " + String.join(", ", all),
        text -> {
          if (!all.contains(text)) {
            throw new IllegalArgumentException(text);
          }
          return text;
        });
  }

  static ValueType<String> matching(String allowed, String regex) {
    Pattern pattern = Pattern.compile(regex);
    return new ValueType<>(
        allowed,
        text -> {
          if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException(text);
          }
          return text;
        });
  }

  private static String text(String text) {
    if (text.isBlank() || text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("empty");
    }
    return text;
  }

  private static List<String> names(String text) {
    return Stream.of(text.split(",")).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  private static Long size(String text) {
    var match = SIZE.matcher(text.strip());
    if (!match.matches()) {
      throw new IllegalArgumentException(text);
    }
    String unit = match.group(2) == null ? "B" : match.group(2).toUpperCase(Locale.ROOT);
    // Decimal units mean the same as binary ones: a user who writes 64MB does not expect
    // 64,000,000.
    int shift =
        switch (unit.charAt(0)) {
          case 'K' -> 10;
          case 'M' -> 20;
          case 'G' -> 30;
          default -> 0;
        };
    return Math.multiplyExact(Long.parseLong(match.group(1)), 1L << shift);
  }

  private static Long micros(String text) {
    BigDecimal dollars = new BigDecimal(text.strip());
    if (dollars.signum() < 0) {
      throw new IllegalArgumentException(text);
    }
    return dollars.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }
}
