package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One entry of a list: finds its problems, and makes the records whose keys it has. */
sealed class ListEntry permits SourceEntry {
  /** The keys of the configuration that are lists of entries, each with an entry as an example. */
  static final Map<String, String> EXAMPLES =
      Map.of(
          "sources", "{name: backlog, type: jsonl, path: backlog.jsonl}",
          "agents", "{name: deep, agent: claude, model: opus}",
          "routes", "{profile: deep, complexity: 4-5}",
          "notify", "{type: slack, url-env: SLACK_URL, on: [dead, trouble]}",
          "console.tokens", "{name: ann, token-env: ANNS_TOKEN, roles: [acme:operator]}");

  /** A value that does not fit the others of its entry. */
  static final class Rejected extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private final String key;

    /**
     * What is wrong.
     *
     * @param key at whose place
     */
    Rejected(String key, String text) {
      super(text);
      this.key = key;
    }

    private String text() {
      return String.valueOf(getMessage());
    }
  }

  private final String what;
  private final String list;
  private final Map<String, Setting> settings;
  private final Map<String, Key<?>> keys;
  private final List<Problem> problems = new ArrayList<>();

  /**
   * An entry that is not checked.
   *
   * @param what it is, for messages: for example {@code a profile of agents}
   * @param list where it is, if its own place is not known
   * @param keys that it may have
   */
  ListEntry(String what, String list, Map<String, Setting> settings, List<Key<?>> keys) {
    this.what = what;
    this.list = list;
    this.settings = settings;
    this.keys =
        keys.stream()
            .collect(Collectors.toMap(Key::name, key -> key, (a, b) -> a, LinkedHashMap::new));
  }

  /** The keys of a record, as entries of a list have them. */
  static List<Key<?>> keys(Class<? extends Record> record) {
    return KeyedRecords.keys(record).<Key<?>>map(key -> key).toList();
  }

  /**
   * Reads every entry of a list, in the order in which they are written.
   *
   * @param what an entry is, for messages: for example {@code a profile of agents}
   * @param most how many there may be
   * @param made makes an entry's value; may reject what does not fit by {@link Rejected}
   * @throws ConfigurationError with every problem found
   */
  static <R extends Record, T> List<T> all(
      Configuration configuration,
      String list,
      String what,
      int most,
      Class<R> record,
      BiFunction<ListEntry, R, T> made) {
    List<Key<?>> keys = keys(record);
    return all(configuration, list, most, it -> new ListEntry(what, list, it, keys), record, made);
  }

  /** The same where the keys of an entry depend on what is written. */
  static <R extends Record, T> List<T> all(
      Configuration configuration,
      String list,
      int most,
      Function<Map<String, Setting>, ListEntry> entryOf,
      Class<R> record,
      BiFunction<ListEntry, R, T> made) {
    var problems = new ArrayList<Problem>();
    var all = new ArrayList<T>();
    List<Map<String, Setting>> entries = configuration.list(list);
    for (Map<String, Setting> settings : entries) {
      ListEntry entry = entryOf.apply(settings);
      if (entry.problems.isEmpty()) {
        entry.check();
      }
      entry.value(record, written -> made.apply(entry, written), problems).ifPresent(all::add);
    }
    if (entries.size() > most) {
      problems.add(
          new Problem(list, list, entries.size() + " entries, at most " + most + " are possible"));
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return all;
  }

  /**
   * What the entry is; empty, with problems added, if something was wrong with its keys, or is with
   * the values together.
   */
  private <R, T> Optional<T> value(Class<R> record, Function<R, T> use, List<Problem> all) {
    if (problems.isEmpty()) {
      try {
        return Optional.of(use.apply(made(record)));
      } catch (Rejected e) {
        problem(e.key, e.text());
      } catch (IllegalArgumentException e) {
        problem("", String.valueOf(e.getMessage()));
      }
    }
    all.addAll(problems);
    return Optional.empty();
  }

  /**
   * Rejects a name that another entry has.
   *
   * @param places where each name was written; takes this one
   */
  final void requireUnique(String name, Map<String, String> places, String fix) {
    String first = places.putIfAbsent(name, where("name"));
    if (first != null) {
      throw new Rejected("name", "name " + name + " is used twice, first at " + first + fix);
    }
  }

  /**
   * One row for each key of each entry, as {@code config} shows them: with its default where it is
   * not written; of a secret only the place is shown.
   */
  static List<Configuration.Row> rows(
      Configuration configuration, String list, Function<Map<String, Setting>, ListEntry> entryOf) {
    var rows = new ArrayList<Configuration.Row>();
    List<Map<String, Setting>> entries = configuration.list(list);
    for (int i = 0; i < entries.size(); i++) {
      rows.addAll(entryOf.apply(entries.get(i)).rows(list + "[" + i + "]."));
    }
    return rows;
  }

  /** The same for a list whose entries have the keys of one record. */
  static List<Configuration.Row> rows(
      Configuration configuration, String list, Class<? extends Record> record) {
    return rows(configuration, list, it -> new ListEntry("", list, it, keys(record)));
  }

  private List<Configuration.Row> rows(String prefix) {
    return keys.values().stream()
        .map(key -> {
          String name = prefix + key.name();
          Setting setting = settings.get(key.name());
          String initial = initial(key);
          return setting == null
              ? new Configuration.Row(name, initial == null ? "" : initial, "default")
              : new Configuration.Row(
                  name, SourceValues.shown(key.type(), setting.raw()), setting.origin());
        })
        .toList();
  }

  /** Reports everything that is wrong with single keys, and missing ones. */
  void check() {
    checkKeys();
    requireAll(what, "", List.copyOf(keys.values()));
  }

  /** Reports unknown keys and values that are not allowed. */
  final void checkKeys() {
    settings.forEach((name, setting) -> {
      Key<?> key = keys.get(name);
      if (key != null) {
        key.refusal(setting.raw()).ifPresent(why -> problem(name, name + " " + why));
      } else if (!name.isEmpty()) {
        problem(name, unknown(name));
      }
    });
  }

  /** What is wrong with a key that the entry cannot have. */
  String unknown(String name) {
    return "no such key '"
        + name
        + "' in "
        + what
        + Nearest.meant(name, keys.keySet(), "; it has " + String.join(", ", keys.keySet()));
  }

  /** Reports the required ones of these keys that are missing, at the place of a key. */
  final void requireAll(String needing, String at, List<Key<?>> wanted) {
    String missing =
        wanted.stream()
            .filter(key -> key.required() && !has(key.name()))
            .map(Key::name)
            .collect(Collectors.joining(" and "));
    if (!missing.isEmpty()) {
      problem(at, needing + " needs " + missing);
    }
  }

  /** Rejects at the place of a key what a check of another module rejects. */
  static void check(String key, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException e) {
      throw new Rejected(key, String.valueOf(e.getMessage()));
    }
  }

  /** Reports a problem at the place of a key. */
  final void problem(String at, String text) {
    problems.add(new Problem(where(at), at, text));
  }

  /** The names of the keys that it may have. */
  final Set<String> names() {
    return keys.keySet();
  }

  /** Whether a key is written. */
  final boolean has(String key) {
    return settings.containsKey(key);
  }

  /** Where a key was written, else where the entry begins. */
  final String where(String key) {
    Setting setting = settings.getOrDefault(key, settings.get(""));
    return setting == null ? list : setting.origin();
  }

  /** The value of a key, its default, or nothing; nothing too if the value is not allowed. */
  final <T> Optional<T> find(Key<T> key) {
    Setting setting = settings.get(key.name());
    try {
      return Optional.ofNullable(setting == null ? initial(key) : setting.raw())
          .map(key.type().parser());
    } catch (IllegalArgumentException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** The default of a key as it would be written; null if it has none. */
  @Nullable String initial(Key<?> key) {
    return key.initial();
  }

  private <R> R made(Class<R> record) {
    return KeyedRecords.made(record, this::value);
  }

  private @Nullable Object value(RecordComponent component) {
    ConfigKey key = component.getAnnotation(ConfigKey.class);
    Class<?> wanted = component.getType();
    if (key != null) {
      return wanted == Credential.class ? credential(key.name()) : value(component, key.name());
    } else if (wanted.isSealed()) {
      String chosen = find(KeyedRecords.choice(wanted)).orElseThrow();
      return made(Objects.requireNonNull(KeyedRecords.choices(wanted).get(chosen)));
    }
    return made(wanted);
  }

  private @Nullable Object value(RecordComponent component, String name) {
    Object value = find(Objects.requireNonNull(keys.get(name))).orElse(null);
    if (value instanceof Path path) {
      return resolved(name, path.toString());
    } else if (value instanceof RepositoryAddress.Folder folder) {
      return new RepositoryAddress.Folder(resolved(name, folder.path().toString()));
    } else if (value != null || component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
      return value;
    }
    Class<?> wanted = component.getType();
    return wanted == List.class ? List.of() : wanted == Set.class ? Set.of() : "";
  }

  /** A path, absolute; a relative one counts from the folder of the file that names it. */
  private Path resolved(String name, String path) {
    return base(name).resolve(path).normalize();
  }

  /** The folder that relative paths in a key's value count from. */
  final Path base(String name) {
    Setting setting = settings.get(name);
    return setting == null ? Path.of("").toAbsolutePath() : setting.base();
  }

  /** Where a credential is stored. */
  private Credential credential(String name) {
    Setting variable = settings.get(name + "-env");
    Setting file = settings.get(name + "-file");
    Setting command = settings.get(name + "-command");
    if (variable != null && file != null) {
      throw new Rejected(
          name + "-file", name + "-env and " + name + "-file exclude each other; remove one");
    }
    if (variable != null) {
      return new Credential.Environment(variable.raw());
    }
    if (command != null) {
      return new Credential.Command(command.raw());
    }
    return file == null
        ? new Credential.None()
        : new Credential.InFile(resolved(name + "-file", file.raw()));
  }
}
