package dev.flyball.program.config;

import dev.flyball.containment.Containment;
import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.config.ConfigKey.Unit;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.OptIn;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How a value is written, and which values are accepted.
 *
 * @param allowed what a person may write, for messages and the schema
 * @param schema the same as JSON Schema, for editors; accepts every value that the parser accepts
 * @param parser throws IllegalArgumentException for anything else; its message is not shown, {@code
 *     allowed} is
 */
record ValueType<T>(String allowed, Map<String, Object> schema, Function<String, T> parser) {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})\\s*([KMG](?:i?B)?|B)?");
  private static final Map<String, Object> ANY = Map.of("type", List.of("string", "number"));

  /** One host, which is written with brackets itself. */
  private static final Pattern IPV6_ADDRESS = Pattern.compile("\\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.%]*]");

  static final ValueType<Duration> DURATION =
      new ValueType<>(
          "a duration, for example 500ms, 2s, 10m, 1h or 7d",
          Map.of("type", "string", "pattern", "^[0-9]{1,12}(ms|s|m|h|d)$"),
          DurationText::parse);

  static final ValueType<Long> SIZE_BYTES =
      new ValueType<>(
          "a size, for example 16KiB or 64MB",
          Map.of(
              "type",
              List.of("string", "integer"),
              "minimum",
              0,
              "pattern",
              "^[0-9]{1,15} *([KMGkmg]([Ii]?[Bb])?|[Bb])?$"),
          ValueType::size);

  static final ValueType<String> TEXT = new ValueType<>("text", ANY, ValueType::text);

  static final ValueType<Path> PATH = new ValueType<>("a path", ANY, text -> Path.of(text(text)));

  static final ValueType<List<String>> NAMES =
      new ValueType<>(
          "a list, for example [A, B]",
          Map.of("type", List.of("array", "string"), "items", Map.of("type", "string")),
          ValueType::names);

  static final ValueType<Long> MICROS =
      new ValueType<>(
          "dollars, for example 0.50", Map.of("type", "number", "minimum", 0), ValueType::micros);

  static final ValueType<ListenAddress> LISTEN =
      new ValueType<>(
          "host:port, port 0 is any free one",
          Map.of("type", "string", "pattern", "^.+:[0-9]{1,5}$"),
          ListenAddress::parse);

  static final ValueType<Boolean> SWITCH =
      new ValueType<>(
          "true or false",
          Map.of("type", "boolean"),
          text -> {
            if (!text.equals("true") && !text.equals("false")) {
              throw new IllegalArgumentException(text);
            }
            return text.equals("true");
          });

  /** The type of the values of a record's component. */
  static ValueType<?> of(Class<?> component, ConfigKey key) {
    if (component == Duration.class) {
      return DURATION;
    } else if (component == Path.class) {
      return PATH;
    } else if (component == RepositoryAddress.class) {
      return SourceValues.REPOSITORY;
    } else if (component == HookAddress.class) {
      return SourceValues.HOOK;
    } else if (component == ListenAddress.class) {
      return LISTEN;
    } else if (component == OptIn.Start.class) {
      return SourceValues.START;
    } else if (component == List.class) {
      return key.choices().length > 0 ? someOf(List.of(key.choices())) : NAMES;
    } else if (component == Set.class) {
      return NAMES.map(Set::copyOf);
    } else if (component == URI.class) {
      return key.secret() ? SourceValues.WEBHOOK : SourceValues.URL;
    } else if (component == boolean.class || component == Boolean.class) {
      return key.choices().length == 0
          ? SWITCH
          : oneOf(key.choices()).map(word -> word.equals(key.choices()[1]));
    } else if (component == double.class) {
      return number((double) key.from(), (double) key.to());
    } else if (component == int.class) {
      return key.unit() == Unit.BYTES
          ? SIZE_BYTES.map(Math::toIntExact)
          : whole(key.from(), key.to()).map(Math::toIntExact);
    } else if (component == long.class || component == Long.class) {
      return switch (key.unit()) {
        case BYTES -> SIZE_BYTES;
        case MICRO_DOLLARS -> MICROS;
        case NONE -> whole(key.from(), key.to());
      };
    } else if (component.isEnum()) {
      return ofEnum(component);
    } else if (key.choices().length > 0) {
      return oneOf(key.choices());
    }
    return key.matches().isEmpty() ? TEXT : matching(key.allowed(), key.matches());
  }

  static <E> ValueType<E> ofEnum(Class<E> type) {
    List<E> constants = List.of(type.getEnumConstants());
    List<String> words = constants.stream().map(each -> text(each, Unit.NONE)).toList();
    return oneOf(words.toArray(String[]::new)).map(word -> constants.get(words.indexOf(word)));
  }

  /** A value as it would be written. */
  static String text(Object value, Unit unit) {
    return switch (value) {
      case Duration duration -> DurationText.format(duration);
      case List<?> list -> joined(list.stream().map(String::valueOf).toList());
      case Number number when unit == Unit.BYTES -> size(number.longValue());
      case Number number when unit == Unit.MICRO_DOLLARS -> dollars(number.longValue());
      case Containment.Level level -> level.label();
      case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
      default -> value.toString();
    };
  }

  /** The same texts as another value. */
  <U> ValueType<U> map(Function<T, U> change) {
    return new ValueType<>(allowed, schema, parser.andThen(change));
  }

  /**
   * Rejects a text that is not allowed.
   *
   * @throws IllegalArgumentException or ArithmeticException if the text is not allowed
   */
  void check(String text) {
    var _ = parser.apply(text);
  }

  static ValueType<Long> whole(long from, long to) {
    return new ValueType<>(
        "a whole number from " + from + " to " + to,
        Map.of("type", "integer", "minimum", from, "maximum", to),
        text -> {
          long value = Long.parseLong(text);
          if (value < from || value > to) {
            throw new IllegalArgumentException(text);
          }
          return value;
        });
  }

  private static ValueType<Double> number(double above, double to) {
    return new ValueType<>(
        "a number above " + above + ", at most " + to,
        Map.of("type", "number", "exclusiveMinimum", above, "maximum", to),
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
        Map.of("enum", all),
        text -> {
          if (!all.contains(text)) {
            throw new IllegalArgumentException(text);
          }
          return text;
        });
  }

  private static ValueType<List<String>> someOf(List<String> words) {
    return new ValueType<>(
        "some of " + String.join(", ", words),
        Map.of("type", List.of("array", "string"), "items", Map.of("enum", words)),
        text -> {
          List<String> names = names(text);
          if (names.isEmpty() || !words.containsAll(names)) {
            throw new IllegalArgumentException(text);
          }
          return names;
        });
  }

  static ValueType<String> matching(String allowed, String regex) {
    Pattern pattern = Pattern.compile(regex);
    return new ValueType<>(
        allowed,
        Map.of("type", List.of("string", "number"), "pattern", "^(" + regex + ")$"),
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
    if (text.startsWith("[\"")) {
      return elements(text);
    }
    // As the file has it; the command line and variables take it with and without brackets.
    String bare = text.strip();
    boolean brackets =
        bare.startsWith("[") && bare.endsWith("]") && !IPV6_ADDRESS.matcher(bare).matches();
    String inner = brackets ? bare.substring(1, bare.length() - 1) : bare;
    return Stream.of(inner.split(",")).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  private static List<String> elements(String json) {
    try {
      return List.of(RecordJson.read(json, String[].class));
    } catch (UnreadableRecord e) {
      throw new IllegalArgumentException(json, e);
    }
  }

  /** The text of a list, from which the same list is read: as JSON where commas would not do. */
  static String joined(List<String> all) {
    boolean plain =
        all.stream()
            .allMatch(each ->
                !each.isEmpty()
                    && each.equals(each.strip())
                    && !each.contains(",")
                    && !each.startsWith("["));
    return plain ? String.join(",", all) : RecordJson.write(all);
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

  private static String size(long bytes) {
    int unit = bytes == 0 ? 0 : Math.min(3, Long.numberOfTrailingZeros(bytes) / 10);
    return (bytes >> (10 * unit)) + List.of("B", "KB", "MB", "GB").get(unit);
  }

  private static Long micros(String text) {
    BigDecimal dollars = new BigDecimal(text.strip());
    if (dollars.signum() < 0) {
      throw new IllegalArgumentException(text);
    }
    return dollars.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  private static String dollars(long micros) {
    BigDecimal dollars = BigDecimal.valueOf(micros, 6).stripTrailingZeros();
    return dollars
        .setScale(dollars.scale() <= 0 ? 0 : Math.max(2, dollars.scale()))
        .toPlainString();
  }
}
