package dev.flyball.program.config;

import dev.flyball.containment.Containment;
import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.config.ConfigKey.Unit;
import dev.flyball.contract.json.RecordJson;
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
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How a value is written, and which values are accepted.
 *
 * @param allowed what a person may write, for messages and the schema
 * @param schema the same as JSON Schema, for editors; accepts every value that the parser accepts
 * @param parser reads a text; a relative path in it counts from the folder. Throws
 *     IllegalArgumentException, ArithmeticException, DateTimeException or UnreadableRecord for
 *     anything else; the message is not shown, {@code allowed} is
 */
record ValueType<T>(
    String allowed, Map<String, Object> schema, BiFunction<String, Path, T> parser) {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})\\s*([KMG](?:i?B)?|B)?");
  private static final String UNITS = "BKMG";
  private static final String SPAN = "[0-9]{1,12}(ms|s|m|h|d)";
  private static final String WEB = " *[Hh][Tt][Tt][Pp][Ss]?://.+";

  /** One host, which is written with brackets itself. */
  private static final Pattern IPV6_ADDRESS = Pattern.compile("\\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.%]*]");

  static final ValueType<Duration> DURATION =
      matching("a duration, for example 500ms, 2s, 10m, 1h or 7d", SPAN).map(TimeSpan::parse);

  static final ValueType<Duration> POSITIVE_DURATION =
      DURATION.only(DURATION.allowed.replace("duration", "duration above 0"), Duration::isPositive);

  static final ValueType<Long> SIZE_BYTES =
      matching("a size, for example 16KiB or 64MB", SIZE.pattern()).map(ValueType::size);

  static final ValueType<String> TEXT =
      new ValueType<>("text", Map.of("type", List.of("string", "number")), (text, _) -> text)
          .only("text", text -> !text.isBlank() && text.indexOf('\0') < 0);

  static final ValueType<Path> PATH =
      new ValueType<>(
          "a path", TEXT.schema, (text, base) -> base.resolve(TEXT.parse(text, base)).normalize());

  static final ValueType<List<String>> NAMES = list("a list, for example [A, B]", Map.of());

  static final ValueType<Long> MICROS =
      new ValueType<>(
          "dollars, for example 0.50",
          Map.of("type", "number", "minimum", 0),
          (text, _) -> micros(text));

  static final ValueType<ListenAddress> LISTEN =
      matching("host:port, port 0 is any free one", ".+:[0-9]{1,5}").map(ListenAddress::parse);

  private static final ValueType<Boolean> SWITCH =
      new ValueType<>(
          "true or false",
          Map.of("type", "boolean"),
          oneOf("true", "false").map("true"::equals).parser);

  /** An address that may have parameters, because some receivers need them. */
  static final ValueType<URI> WEBHOOK =
      matching("an https address without user and fragment (http only to this machine itself)", WEB)
          .map(ValueType::web);

  /**
   * An address without user info, because that is a secret in a file that people share. No http,
   * because a network on the way could read the token.
   */
  static final ValueType<URI> URL =
      WEBHOOK
          .only(
              "an https address without user, query and fragment, %20 for a space (http only to"
                  + " this machine itself: elsewhere the token could be read on its way)",
              uri -> uri.getRawQuery() == null)
          .map(uri -> URI.create(uri.toString().replaceFirst("/$", "")));

  /** The address of a receiver of notifications. */
  static final ValueType<HookAddress> HOOK =
      matching(HookAddress.ALLOWED, WEB).map(HookAddress::parse);

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
      program("scout, " + AgentProgram.known(), AgentProgram.pattern()).map(AgentProgram::parse);

  static final ValueType<OptIn.Start> START =
      matching(OptIn.Start.ALLOWED, "now|all|[0-9]{4}-[0-9]{2}-[0-9]{2}.*").map(OptIn.Start::parse);

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
      return list(key);
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

  /** The same texts as another value. */
  <U> ValueType<U> map(Function<T, ? extends U> change) {
    return new ValueType<>(allowed, schema, (text, base) -> change.apply(parse(text, base)));
  }

  /** Only those of its values that are accepted. */
  private ValueType<T> only(String those, Predicate<T> accepted) {
    return new ValueType<>(
        those,
        schema,
        (text, base) -> {
          T value = parse(text, base);
          if (!accepted.test(value)) {
            throw new IllegalArgumentException(text);
          }
          return value;
        });
  }

  /** The value of a text; throws what {@link #parser} does. */
  T parse(String text, Path base) {
    return parser.apply(text, base);
  }

  static ValueType<Long> whole(long from, long to) {
    String allowed = "a whole number from " + from + " to " + to;
    return new ValueType<>(
            allowed,
            Map.<String, Object>of("type", "integer", "minimum", from, "maximum", to),
            (text, _) -> Long.valueOf(text))
        .only(allowed, value -> value >= from && value <= to);
  }

  private static ValueType<Double> number(double above, double to) {
    String allowed = "a number above " + above + ", at most " + to;
    return new ValueType<>(
            allowed,
            Map.<String, Object>of("type", "number", "exclusiveMinimum", above, "maximum", to),
            (text, _) -> Double.valueOf(text))
        .only(allowed, value -> value > above && value <= to);
  }

  /** One or two numbers of this form, the smaller first. */
  private static <T> ValueType<T> range(
      String allowed, String example, String one, BiFunction<Integer, Integer, T> made) {
    String whole = allowed + ", or a range, smaller number first, for example " + example;
    return matching(whole, one + "(-" + one + ")?")
        .map(text -> Stream.of(text.split("-")).map(Integer::valueOf).toList())
        .only(whole, ends -> ends.getFirst() <= ends.getLast())
        .map(ends -> made.apply(ends.getFirst(), ends.getLast()));
  }

  static ValueType<String> oneOf(String... words) {
    List<String> all = List.of(words);
    String allowed =
        all.size() == 1 ? "only " + all.getFirst() : "one of " + String.join(", ", all);
    return new ValueType<>(allowed, Map.<String, Object>of("enum", all), (text, _) -> text)
        .only(allowed, all::contains);
  }

  /** A list, also as a text with commas. */
  private static ValueType<List<String>> list(String allowed, Map<String, Object> element) {
    var items = new TreeMap<String, Object>(Map.of("type", "string"));
    items.putAll(element);
    return new ValueType<>(
        allowed,
        Map.of("type", List.of("array", "string"), "items", items),
        (text, _) -> names(text));
  }

  /** The type of a list whose elements are from the choices, or of the form, that the key names. */
  private static ValueType<List<String>> list(ConfigKey key) {
    List<String> words = List.of(key.choices());
    if (!words.isEmpty()) {
      String allowed = "some of " + String.join(", ", words);
      return list(allowed, Map.of("enum", words))
          .only(allowed, all -> !all.isEmpty() && words.containsAll(all));
    }
    String form = key.matches();
    return form.isEmpty()
        ? NAMES
        : list(key.allowed(), Map.of("pattern", "^(" + form + ")$"))
            .only(key.allowed(), all -> all.stream().allMatch(each -> each.matches(form)));
  }

  /** Texts of a form; a number of that form needs no quotes. */
  static ValueType<String> matching(String allowed, String regex) {
    Pattern pattern = Pattern.compile(regex);
    return new ValueType<>(
            allowed,
            Map.<String, Object>of(
                "type",
                pattern.matcher("1").matches() ? List.of("string", "number") : "string",
                "pattern",
                "^(" + regex + ")$"),
            (text, _) -> text)
        .only(allowed, text -> pattern.matcher(text).matches());
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

  private static List<String> names(String text) {
    if (text.startsWith("[\"")) {
      return List.of(RecordJson.read(text, String[].class));
    }
    // As the file has it; the command line and variables take it with and without brackets.
    String bare = text.strip();
    boolean brackets =
        bare.startsWith("[") && bare.endsWith("]") && !IPV6_ADDRESS.matcher(bare).matches();
    String inner = brackets ? bare.substring(1, bare.length() - 1) : bare;
    return Stream.of(inner.split(",")).map(String::strip).filter(s -> !s.isEmpty()).toList();
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
    MatchResult match = SIZE.matcher(text).results().findFirst().orElseThrow();
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
    return HookAddress.parse(text).checked(false).uri();
  }
}
