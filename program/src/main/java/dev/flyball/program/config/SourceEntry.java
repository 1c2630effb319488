package dev.flyball.program.config;

import dev.flyball.producer.ProducerApp;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One entry of {@code sources}, whose keys depend on its type. */
final class SourceEntry extends ListEntry {
  /** Names that people give a secret when they are about to write it into the file. */
  private static final Set<String> SECRETS =
      Set.of(
          "token",
          "password",
          "secret",
          "key",
          "api-key",
          "apikey",
          "pat",
          "webhook-token",
          "webhook-secret");

  /** The places of a tracker's token. */
  private static final List<String> TOKENS = List.of("token-env", "token-file", "token-command");

  private final Configuration configuration;
  private final SourceType type;

  private SourceEntry(Configuration configuration, Map<String, Setting> settings, SourceType type) {
    super("a source of type " + type.label(), "sources", settings, type.keys());
    this.configuration = configuration;
    this.type = type;
  }

  /**
   * All sources, in the order in which they are written.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<ConfiguredSource> all(Configuration configuration) {
    var places = new HashMap<String, String>();
    return ListEntry.all(
        configuration,
        "sources",
        Integer.MAX_VALUE,
        settings -> of(configuration, settings),
        ConfiguredSource.class,
        (entry, made) -> checked(made, entry, places));
  }

  /**
   * An entry of the type that is written; one of a type that is missing or unknown has a problem.
   *
   * @param configuration what applies where the entry names nothing
   */
  static ListEntry of(Configuration configuration, Map<String, Setting> settings) {
    Setting label = settings.get(SourceType.TYPE.name());
    Optional<SourceType> type =
        Optional.ofNullable(label).map(Setting::raw).flatMap(SourceType::named);
    if (type.isPresent()) {
      return new SourceEntry(configuration, settings, type.get());
    }
    String allowed = SourceType.TYPE.type().allowed();
    var entry = new ListEntry("a source", "sources", settings, SourceType.COMMON);
    entry.problem(
        "type",
        label == null
            ? "a source needs a type, " + allowed
            : "type '" + label.raw() + "' is not " + allowed);
    return entry;
  }

  private static ConfiguredSource checked(
      ConfiguredSource made, ListEntry entry, Map<String, String> places) {
    SourceConfig source = made.source();
    entry.requireUnique(source.key(), places, "");
    if (source instanceof SourceConfig.Jsonl && source.rules().optIn().assignee() != null) {
      throw new Rejected(
          "when.assignee",
          "when.assignee: a line of an items file has no assignee; use when.labels");
    }
    ListEntry.check("query", () -> ProducerApp.check(source));
    return made;
  }

  /** Finds keys without effect, too. */
  @Override
  void check() {
    checkKeys();
    requireAll("a source of type " + type.label(), "", type.own());
    if (!has("name")) {
      problem("", "a source needs a name, " + key("name").type().allowed());
    }
    if (type.needsCredential() && TOKENS.stream().noneMatch(this::has)) {
      problem(
          "",
          "a source of type "
              + type.label()
              + " needs a token; name its environment variable with token-env, its file with"
              + " token-file, or a command that prints it with token-command");
    }
    names().stream().filter(key -> key.endsWith("-env")).forEach(this::onePlace);
    writeBack();
    atLeast(type.floor(), "interval");
    atLeast(SourceConfig.TRACKER_FLOOR, "revisit");
  }

  private void atLeast(Duration floor, String key) {
    if (find(key(key)).orElse(null) instanceof Duration every && every.compareTo(floor) < 0) {
      problem(
          key,
          key
              + " "
              + DurationText.format(every)
              + " is below the floor of "
              + DurationText.format(floor));
    }
  }

  private Key<?> key(String name) {
    return type.keys().stream().filter(key -> key.name().equals(name)).findFirst().orElseThrow();
  }

  @Override
  String unknown(String name) {
    return SECRETS.contains(name)
        ? "a secret does not belong into the configuration; name the environment variable that"
            + " holds it with token-env, or the file with token-file, instead of "
            + name
        : super.unknown(name);
  }

  @Override
  @Nullable String initial(Key<?> key) {
    return switch (key.name()) {
      case "tenant" -> configuration.get(Keys.TENANT);
      case "start" -> type.record() == SourceConfig.Jsonl.class ? "all" : "now";
      default -> key.initial();
    };
  }

  /** A credential is stored in one place. */
  private void onePlace(String variable) {
    List<String> written =
        Stream.of("env", "file", "command")
            .map(place -> variable.replaceFirst("env$", place))
            .filter(this::has)
            .toList();
    if (written.size() > 1) {
      problem(written.get(1), "name one of " + String.join(" and ", written) + ", not both");
    }
  }

  /** Reports what the chosen write-back lacks, and keys of another one: they would do nothing. */
  private void writeBack() {
    Key<String> choice = KeyedRecords.choice(WriteBack.class);
    String name = choice.name();
    Optional<String> chosen = find(choice);
    KeyedRecords.choices(WriteBack.class)
        .forEach((value, record) -> {
          List<Key<?>> own = KeyedRecords.keys(record).toList();
          if (chosen.filter(value::equals).isPresent()) {
            requireAll(name + ": " + value, name, own);
          } else {
            own.stream()
                .map(Key::name)
                .filter(this::has)
                .forEach(key -> problem(key, key + " needs " + name + ": " + value));
          }
        });
    if (chosen.filter("comment"::equals).isPresent()) {
      if (!type.comments()) {
        problem(name, "a source of type " + type.label() + " takes no comments");
      } else if (TOKENS.stream().noneMatch(this::has)) {
        problem(name, "comments need a token: token-env, token-file or token-command");
      }
    }
  }
}
