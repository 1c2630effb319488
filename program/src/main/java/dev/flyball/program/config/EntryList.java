package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.program.config.ConfiguredProfiles.ConfiguredAgent;
import dev.flyball.program.config.ConfiguredProfiles.ConfiguredRoute;
import dev.flyball.program.config.ConsoleAddress.ConfiguredToken;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The keys of the configuration that are lists; each entry is one record. */
enum EntryList {
  SOURCES(
      "sources",
      "a source",
      Integer.MAX_VALUE,
      ConfiguredSource.class,
      "{name: backlog, type: jsonl, path: backlog.jsonl}"),
  // More are a mistake: runners announce the names in each of their entries.
  AGENTS(
      "agents",
      "a profile of agents",
      23,
      ConfiguredAgent.class,
      "{name: deep, agent: claude, model: opus}"),
  ROUTES(
      "routes",
      "a route",
      Integer.MAX_VALUE,
      ConfiguredRoute.class,
      "{profile: deep, complexity: 4-5}"),
  NOTIFY(
      "notify",
      "a target of notify",
      20,
      ConfiguredTarget.class,
      "{type: slack, url-env: SLACK_URL, on: [dead, trouble]}"),
  TOKENS(
      "console.tokens",
      "a token of the console",
      1_000,
      ConfiguredToken.class,
      "{name: ann, token-env: ANNS_TOKEN, roles: [acme:operator]}");

  private final String key;
  private final String what;
  private final int most;
  private final Class<? extends Record> record;
  private final String example;

  EntryList(String key, String what, int most, Class<? extends Record> record, String example) {
    this.key = key;
    this.what = what;
    this.most = most;
    this.record = record;
    this.example = example;
  }

  /** The list that is written under a key. */
  static Optional<EntryList> under(String key) {
    return Stream.of(values()).filter(list -> list.key.equals(key)).findFirst();
  }

  /** The key under which it is written. */
  String key() {
    return key;
  }

  /** An entry, for messages. */
  String example() {
    return example;
  }

  /**
   * The keys of an entry.
   *
   * @param kind the value of the key that decides which ones there are; null if it is not known
   */
  List<Key<?>> keys(@Nullable String kind) {
    return KeyedRecords.keys(record, kind);
  }

  /**
   * Reads every entry, in the order in which they are written.
   *
   * @param nameOf the name that only one entry may have; null for none
   * @param made makes an entry's value; may reject what does not fit by {@link Rejected}
   * @throws ConfigurationError with every problem found
   */
  <R extends Record, T> List<T> read(
      Configuration configuration,
      Class<R> type,
      Function<R, @Nullable String> nameOf,
      BiFunction<Entry, R, T> made) {
    var problems = new ArrayList<Problem>();
    var places = new HashMap<String, String>();
    var all = new ArrayList<T>();
    List<Entry> entries = entries(configuration);
    for (Entry entry : entries) {
      try {
        R written = entry.read(type);
        if (written != null) {
          entry.requireUnique(nameOf.apply(written), places);
          all.add(made.apply(entry, written));
        }
      } catch (Rejected e) {
        entry.problems.add(e.problem(entry.settings, entry.where("")));
      } catch (IllegalArgumentException e) {
        entry.problem("", String.valueOf(e.getMessage()));
      }
      problems.addAll(entry.problems);
    }
    if (entries.size() > most) {
      problems.add(
          new Problem(key, key, entries.size() + " entries, at most " + most + " are possible"));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return all;
  }

  /**
   * One row for each key of each entry, as {@code config} shows them: with its default where it is
   * not written; of a secret only the place is shown.
   */
  List<Configuration.Row> rows(Configuration configuration) {
    var rows = new ArrayList<Configuration.Row>();
    List<Entry> entries = entries(configuration);
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      String prefix = key + "[" + i + "].";
      entry.keys.forEach((name, each) ->
          rows.add(Configuration.row(prefix + name, each, entry.settings.get(name))));
    }
    return rows;
  }

  private List<Entry> entries(Configuration configuration) {
    return configuration.list(key).stream()
        .map(written ->
            new Entry(
                this,
                this == SOURCES ? ConfiguredSource.withDefaults(configuration, written) : written))
        .toList();
  }

  /** One entry: makes the record whose keys it has, or finds all its problems. */
  static final class Entry {
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

    private final EntryList list;
    private final Map<String, Setting> settings;
    private final Map<String, Key<?>> keys;

    /** What it is, for messages: for example {@code a source of type jira}. */
    private final String what;

    private final List<Problem> problems = new ArrayList<>();

    private Entry(EntryList list, Map<String, Setting> settings) {
      this.list = list;
      this.settings = settings;
      String label =
          KeyedRecords.kind(list.record)
              .filter(this::allowed)
              .map(key -> settings.get(key.name()))
              .map(Setting::raw)
              .orElse(null);
      this.what = list.what + (label == null ? "" : " of type " + label);
      this.keys =
          list.keys(label).stream()
              .collect(Collectors.toMap(Key::name, key -> key, (a, b) -> a, LinkedHashMap::new));
    }

    /**
     * The record of its values; null, with problems added, if something is wrong with its keys.
     *
     * @throws Rejected for values that do not fit each other
     */
    private <R extends Record> @Nullable R read(Class<R> record) {
      var missing = new ArrayList<String>();
      R made = made(record, missing);
      if (KeyedRecords.kind(record).filter(key -> !allowed(key)).isEmpty()) {
        // Without its kind it is not known which keys it may have.
        settings.keySet().stream()
            .filter(name -> !name.isEmpty() && !keys.containsKey(name))
            .forEach(name -> problem(name, unknown(name)));
        require(what, "", missing);
      }
      return problems.isEmpty() ? made : null;
    }

    /** Rejects a name that another entry has; takes its place otherwise. */
    private void requireUnique(@Nullable String name, Map<String, String> places) {
      String first = name == null ? null : places.putIfAbsent(name, where("name"));
      if (first != null) {
        throw new Rejected(
            "name", "name " + name + " is used twice, first at " + first + "; choose another");
      }
    }

    /** Whether a key is written. */
    boolean has(String key) {
      return settings.containsKey(key);
    }

    /** The folder that relative paths in a key's value count from. */
    Path base(String name) {
      Setting setting = settings.get(name);
      return setting == null ? Path.of("").toAbsolutePath() : setting.base();
    }

    /** The record of its values; null if there is a problem with one of them, or one is missing. */
    private <R> @Nullable R made(Class<R> record, List<String> missing) {
      var values = new ArrayList<@Nullable Object>();
      for (RecordComponent component : record.getRecordComponents()) {
        values.add(value(component, missing));
      }
      return problems.isEmpty() && missing.isEmpty() ? KeyedRecords.made(record, values) : null;
    }

    private @Nullable Object value(RecordComponent component, List<String> missing) {
      ConfigKey key = component.getAnnotation(ConfigKey.class);
      Class<?> type = component.getType();
      if (key == null) {
        return type.isSealed() ? chosen(type, missing) : made(type, missing);
      } else if (type == Credential.class) {
        return credential(key, missing);
      }
      Object value = parsed(Objects.requireNonNull(keys.get(key.name())));
      if (value == null && key.required() && !has(key.name())) {
        missing.add(key.name());
      }
      return value instanceof Path path
          ? resolved(key.name(), path)
          : value instanceof RepositoryAddress.Folder folder
              ? new RepositoryAddress.Folder(resolved(key.name(), folder.path()))
              : value == null ? absent(component) : value;
    }

    /** The value of a key or its default; null if there is none, or a problem with it. */
    private @Nullable Object parsed(Key<?> key) {
      Setting setting = settings.get(key.name());
      String raw = setting == null ? key.initial() : setting.raw();
      if (raw == null) {
        return null;
      }
      Optional<String> refusal = key.refusal(raw);
      refusal.ifPresent(why -> problem(key.name(), key.name() + " " + why));
      return refusal.isPresent() ? null : key.type().parser().apply(raw);
    }

    private static @Nullable Object absent(RecordComponent component) {
      Class<?> type = component.getType();
      return component.getAnnotatedType().isAnnotationPresent(Nullable.class)
          ? null
          : type == List.class ? List.of() : type == Set.class ? Set.of() : "";
    }

    /** The record that a key's value chooses; keys of the others would do nothing. */
    private @Nullable Object chosen(Class<?> type, List<String> missing) {
      Key<String> choice = KeyedRecords.choice(type);
      Map<String, Class<?>> choices = KeyedRecords.choices(type);
      String name = choice.name();
      if (choice.required() && !has(name)) {
        problem(name, what + " needs a " + name + ", " + choice.type().allowed());
      }
      Object label = parsed(choice);
      Class<?> record = label == null ? null : choices.get(label);
      if (record == null || choice.required()) {
        return record == null ? null : made(record, missing);
      }
      choices.forEach((value, other) ->
          KeyedRecords.keys(other, null).stream()
              .map(Key::name)
              .filter(key -> other != record && has(key))
              .forEach(key -> problem(key, key + " needs " + name + ": " + value)));
      var needed = new ArrayList<String>();
      Object made = made(record, needed);
      require(name + ": " + label, name, needed);
      return made;
    }

    /** Where a credential is stored: in one place. */
    private Credential credential(ConfigKey key, List<String> missing) {
      List<String> places =
          Stream.of("-env", "-file", "-command")
              .map(place -> key.name() + place)
              .filter(keys::containsKey)
              .toList();
      List<String> written = places.stream().filter(this::has).toList();
      if (written.size() > 1) {
        problem(written.get(1), "name one of " + String.join(" and ", written) + ", not both");
      } else if (written.isEmpty() && key.required()) {
        missing.add("one of " + String.join(", ", places));
      }
      if (written.isEmpty()) {
        return new Credential.None();
      }
      Object value = parsed(Objects.requireNonNull(keys.get(written.getFirst())));
      return value instanceof Path file
          ? new Credential.InFile(resolved(written.getFirst(), file))
          : written.getFirst().endsWith("-env")
              ? new Credential.Environment(String.valueOf(value))
              : new Credential.Command(String.valueOf(value));
    }

    private boolean allowed(Key<?> key) {
      Setting setting = settings.get(key.name());
      return setting != null && key.refusal(setting.raw()).isEmpty();
    }

    private String unknown(String name) {
      return SECRETS.contains(name) && keys.containsKey("token-env")
          ? "a secret does not belong into the configuration; name the environment variable that"
              + " holds it with token-env, or the file with token-file, instead of "
              + name
          : "no such key '"
              + name
              + "' in "
              + what
              + Nearest.meant(name, keys.keySet(), "; it has " + String.join(", ", keys.keySet()));
    }

    private void require(String needing, String at, List<String> missing) {
      if (!missing.isEmpty()) {
        problem(at, needing + " needs " + String.join(" and ", missing));
      }
    }

    private void problem(String at, String text) {
      problems.add(new Problem(where(at), at, text));
    }

    /** Where a key was written, else where the entry begins. */
    private String where(String key) {
      Setting setting = settings.getOrDefault(key, settings.get(""));
      return setting == null ? list.key : setting.origin();
    }

    /** A path, absolute; a relative one counts from the folder of the file that names it. */
    private Path resolved(String name, Path path) {
      return base(name).resolve(path).normalize();
    }
  }
}
