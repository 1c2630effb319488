package dev.flyball.program.config;

import dev.flyball.containment.Containment;
import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.config.ConfigKey.Unit;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.notify.HookAddress;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.triage.item.Routing;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How a value is written, and which values are accepted.
 *
 * @param allowed what a person may write, for messages and the schema
 * @param schema the same as JSON Schema, for editors; accepts every value that the parser accepts
 * @param parser reads a text; a relative path in it counts from the folder. Throws
 *     IllegalArgumentException, ArithmeticException or DateTimeException for anything else; the
 *     message is not shown, {@code allowed} is
 */
record ValueType<T>(
    String allowed, Map<String, Object> schema, BiFunction<String, Path, T> parser) {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})\\s*([KMG](?:i?B)?|B)?");
  private static final String UNITS = "BKMG";
  private static final Map<String, Object> ANY = Map.of("type", List.of("string", "number"));

  /** One host, which is written with brackets itself. */
  private static final Pattern IPV6_ADDRESS = Pattern.compile("\\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.%]*]");

  static final ValueType<Duration> DURATION =
      new ValueType<>(
          "a duration, for example 500ms, 2s, 10m, 1h or 7d",
          Map.of("type", "string", "pattern", "^[0-9]{1,12}(ms|s|m|h|d)$"),
          TimeSpan::parse);

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

  static final ValueType<String> TEXT = new ValueType<>("text", ANY, ValueType::notBlank);

  static final ValueType<Path> PATH =
      new ValueType<>("a path", ANY, (text, base) -> base.resolve(notBlank(text)).normalize());

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
          oneOf("true", "false").map("true"::equals).parser());

  static final ValueType<Duration> POSITIVE_DURATION =
      new ValueType<>(
          DURATION.allowed.replace("duration", "duration above 0"),
          DURATION.schema,
          text -> {
            Duration duration = TimeSpan.parse(text);
            return only(duration.isPositive(), duration);
          });

  private static final Map<String, Object> ADDRESS =
      Map.of("type", "string", "pattern", "^ *[Hh][Tt][Tt][Pp][Ss]?://.+$");

  /**
   * An address without user info, because that is a secret in a file that people share. No http,
   * because a network on the way could read the token.
   */
  static final ValueType<URI> URL =
      new ValueType<>(
          "an https address without user, query and fragment, %20 for a space (http only to this"
              + " machine itself: elsewhere the token could be read on its way)",
          ADDRESS,
          text -> {
            URI uri = web(text);
            String whole = only(uri.getRawQuery() == null, uri).toString();
            return URI.create(whole.endsWith("/") ? whole.substring(0, whole.length() - 1) : whole);
          });

  /** An address that may have parameters, because some receivers need them. */
  static final ValueType<URI> WEBHOOK =
      new ValueType<>(
          "an https address without user and fragment (http only to this machine itself)",
          ADDRESS,
          ValueType::web);

  /** The address of a receiver of notifications. */
  static final ValueType<HookAddress> HOOK =
      new ValueType<>(HookAddress.ALLOWED, ADDRESS, HookAddress::parse);

  static final ValueType<RepositoryAddress> REPOSITORY =
      new ValueType<>(
          RepositoryAddress.ALLOWED,
          Map.of("type", "string", "minLength", 1),
          (text, base) ->
              switch (RepositoryAddress.parse(text)) {
                case RepositoryAddress.Folder(Path path) ->
                    new RepositoryAddress.Folder(base.resolve(path).normalize());
                case RepositoryAddress.Url url -> url;
              });

  static final ValueType<AgentProgram> AGENT =
      program(AgentProgram.KNOWN, AgentProgram.PATTERN).map(AgentProgram::parse);

  static final ValueType<OptIn.Start> START =
      new ValueType<>(
          OptIn.Start.ALLOWED,
          Map.of("type", "string", "pattern", "^(now|all|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)$"),
          OptIn.Start::parse);

  static final ValueType<String> MODEL = matching("a model's name", ConfiguredProfiles.MODEL);

  /** A variable's name, short enough that hardly any secret passes for a name. */
  static final ValueType<Credential> VARIABLE =
      matching(
              "the name of an environment variable, at most 32 letters, digits and _ (the secret"
                  + " itself does not belong here)",
              "[A-Za-z_][A-Za-z0-9_]{0,31}")
          .map(Credential.Environment::new);

  static final ValueType<Credential> SECRET_FILE = PATH.map(Credential.InFile::new);
  static final ValueType<Credential> SECRET_COMMAND = TEXT.map(Credential.Command::new);

  private static final ValueType<Routing.Complexity> COMPLEXITY =
      range("1 (trivial) to 5 (deep)", "4-5", "[1-5]", Routing.Complexity::new);

  private static final ValueType<Routing.Priority> PRIORITY =
      range("a number, 1 is first", "1-2", "[0-9]{1,4}", Routing.Priority::new);

  /** The types of the components that need no more than their class. */
  private static final Map<Class<?>, ValueType<?>> BY_CLASS =
      Map.of(
          Duration.class, DURATION,
          Path.class, PATH,
          RepositoryAddress.class, REPOSITORY,
          HookAddress.class, HOOK,
          ListenAddress.class, LISTEN,
          OptIn.Start.class, START,
          AgentProgram.class, AGENT,
          Routing.Complexity.class, COMPLEXITY,
          Routing.Priority.class, PRIORITY);

  /** The type of the values of a record's component. */
  static ValueType<?> of(Class<?> component, ConfigKey key) {
    ValueType<?> known = BY_CLASS.get(component);
    if (known != null) {
      return known.equals(DURATION) && key.from() > 0 ? POSITIVE_DURATION : known;
    } else if (component == List.class) {
      return key.choices().length > 0
          ? someOf(List.of(key.choices()))
          : key.matches().isEmpty() ? NAMES : allMatching(key.allowed(), key.matches());
    } else if (component == Set.class) {
      return NAMES.map(Set::copyOf);
    } else if (component == URI.class) {
      return key.secret() ? WEBHOOK : URL;
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
      case Duration duration -> TimeSpan.exact(duration);
      case List<?> list -> joined(list.stream().map(String::valueOf).toList());
      case Number number when unit == Unit.BYTES -> sizeText(number.longValue());
      case Number number when unit == Unit.MICRO_DOLLARS -> dollars(number.longValue());
      case Containment.Level level -> level.label();
      case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
      default -> value.toString();
    };
  }

  /** A type whose texts mean the same in every folder. */
  private ValueType(String allowed, Map<String, Object> schema, Function<String, T> parser) {
    this(allowed, schema, (text, _) -> parser.apply(text));
  }

  /** The same texts as another value. */
  <U> ValueType<U> map(Function<T, ? extends U> change) {
    return new ValueType<>(allowed, schema, (text, base) -> change.apply(parse(text, base)));
  }

  /** The value of a text; throws what {@link #parser} does. */
  T parse(String text, Path base) {
    return parser.apply(text, base);
  }

  static ValueType<Long> whole(long from, long to) {
    return new ValueType<>(
        "a whole number from " + from + " to " + to,
        Map.of("type", "integer", "minimum", from, "maximum", to),
        text -> {
          long value = Long.parseLong(text);
          return only(value >= from && value <= to, value);
        });
  }

  private static <T> ValueType<T> range(
      String allowed, String example, String one, BiFunction<Integer, Integer, T> made) {
    return matching(
            allowed + ", or a range, smaller number first, for example " + example,
            one + "(-" + one + ")?")
        .map(text -> {
          int[] ends = Stream.of(text.split("-")).mapToInt(Integer::parseInt).toArray();
          int last = ends[ends.length - 1];
          return made.apply(only(ends[0] <= last, ends[0]), last);
        });
  }

  private static ValueType<Double> number(double above, double to) {
    return new ValueType<>(
        "a number above " + above + ", at most " + to,
        Map.of("type", "number", "exclusiveMinimum", above, "maximum", to),
        text -> {
          double value = Double.parseDouble(text);
          return only(value > above && value <= to, value);
        });
  }

  static ValueType<String> oneOf(String... words) {
    List<String> all = List.of(words);
    return new ValueType<>(
        all.size() == 1 ? "only " + all.getFirst() : "one of " + String.join(", ", all),
        Map.of("enum", all),
        text -> only(all.contains(text), text));
  }

  private static ValueType<List<String>> someOf(List<String> words) {
    return new ValueType<>(
        "some of " + String.join(", ", words),
        Map.of("type", List.of("array", "string"), "items", Map.of("enum", words)),
        text -> {
          List<String> names = names(text);
          return only(!names.isEmpty() && words.containsAll(names), names);
        });
  }

  private static ValueType<List<String>> allMatching(String allowed, String regex) {
    return new ValueType<>(
        allowed,
        Map.of(
            "type",
            List.of("array", "string"),
            "items",
            Map.of("type", "string", "pattern", "^(" + regex + ")$")),
        text -> {
          List<String> names = names(text);
          return only(names.stream().allMatch(each -> each.matches(regex)), names);
        });
  }

  static ValueType<String> matching(String allowed, String regex) {
    Pattern pattern = Pattern.compile(regex);
    return new ValueType<>(
        allowed,
        Map.of("type", List.of("string", "number"), "pattern", "^(" + regex + ")$"),
        text -> only(pattern.matcher(text).matches(), text));
  }

  /** An agent's name; the path of a program counts from the folder. */
  static ValueType<String> program(String allowed, String regex) {
    ValueType<String> name = matching(allowed, regex);
    return new ValueType<>(
        allowed,
        name.schema,
        (text, base) -> {
          String program = name.parse(text, base);
          return program.startsWith(Command.PREFIX) && program.contains("/")
              ? Command.PREFIX
                  + base.resolve(program.substring(Command.PREFIX.length())).normalize()
              : program;
        });
  }

  private static String notBlank(String text) {
    return only(!text.isBlank() && text.indexOf('\0') < 0, text);
  }

  /** The value if it is allowed; else an exception whose message is not shown. */
  private static <T> T only(boolean allowed, T value) {
    if (!allowed) {
      throw new IllegalArgumentException(String.valueOf(value));
    }
    return value;
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
    Matcher match = SIZE.matcher(text.strip());
    only(match.matches(), text);
    // KB means the same as KiB: a user who writes 64MB does not expect 64,000,000.
    int unit = match.group(2) == null ? 0 : UNITS.indexOf(match.group(2).charAt(0));
    return Math.multiplyExact(Long.parseLong(match.group(1)), 1L << (10 * unit));
  }

  private static String sizeText(long bytes) {
    int unit = bytes == 0 ? 0 : Math.min(3, Long.numberOfTrailingZeros(bytes) / 10);
    return (bytes >> (10 * unit)) + (unit == 0 ? "B" : UNITS.charAt(unit) + "B");
  }

  private static Long micros(String text) {
    BigDecimal dollars = new BigDecimal(text.strip());
    return only(dollars.signum() >= 0, dollars)
        .movePointRight(6)
        .setScale(0, RoundingMode.HALF_UP)
        .longValueExact();
  }

  private static String dollars(long micros) {
    BigDecimal dollars = BigDecimal.valueOf(micros, 6).stripTrailingZeros();
    return dollars
        .setScale(dollars.scale() <= 0 ? 0 : Math.max(2, dollars.scale()))
        .toPlainString();
  }

  /** A value that was not accepted, as an error message may show it: it may contain a secret. */
  String rejected(String raw) {
    boolean hidden = equals(REPOSITORY) && raw.matches("(?s).*[@?#].*");
    return hidden || equals(VARIABLE) || equals(WEBHOOK) || equals(HOOK)
        ? "(hidden)"
        : raw.replaceAll("//[^/@]*@", "//(hidden)@");
  }

  /** A value as {@code config} shows it. The address of a webhook often is its secret. */
  String shown(String raw) {
    return equals(WEBHOOK) || equals(HOOK) ? HookAddress.parse(raw).toString() : raw;
  }

  private static URI web(String text) {
    HookAddress address = HookAddress.parse(text);
    return only(address.isSafe(), address.uri());
  }
}
