package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
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
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  private final String what;
  private final String list;
  private final Map<String, Setting> settings;
  private final Map<String, Key<?>> keys;
  private final List<String> problems = new ArrayList<>();

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
   * Reads an entry; empty, with problems added, if something is wrong with it.
   *
   * @param what it is, for messages: for example {@code a profile of agents}
   * @param made makes the entry's value; may reject what does not fit by {@link
   *     IllegalArgumentException}
   */
  static <R extends Record, T> Optional<T> read(
      String what,
      Map<String, Setting> settings,
      Class<R> record,
      Function<R, T> made,
      List<String> problems) {
    List<Key<?>> keys = keys(record);
    var entry = new ListEntry(what, what, settings, keys);
    entry.checkKeys();
    entry.requireAll(what, "", keys);
    return entry.value(record, made, problems);
  }

  /**
   * What the entry is; empty, with problems added, if something was wrong with its keys, or is with
   * the values together.
   */
  <R, T> Optional<T> value(Class<R> record, Function<R, T> use, List<String> all) {
    if (problems.isEmpty()) {
      try {
        return Optional.of(use.apply(made(record)));
      } catch (IllegalArgumentException e) {
        String message = DurationText.readable(String.valueOf(e.getMessage()));
        problems.add(whereNamed(message) + ": " + message);
      }
    }
    all.addAll(problems);
    return Optional.empty();
  }

  /** One row for each key of each entry, as {@code config} shows them. */
  static Stream<Configuration.Row> rows(
      Configuration configuration, String list, Class<? extends Record> record) {
    var rows = new ArrayList<Configuration.Row>();
    List<Map<String, Setting>> entries = configuration.list(list);
    for (int i = 0; i < entries.size(); i++) {
      rows.addAll(new ListEntry("", list, entries.get(i), keys(record)).rows(list, i));
    }
    return rows.stream();
  }

  /** One row for each key, with its default where it is not written. */
  List<Configuration.Row> rows(String of, int index) {
    return keys.values().stream()
        .map(key -> {
          String name = of + "[" + index + "]." + key.name();
          Setting setting = settings.get(key.name());
          String initial = initial(key);
          return setting == null
              ? new Configuration.Row(name, initial == null ? "" : initial, "default")
              : new Configuration.Row(
                  name, SourceValues.shown(key.type(), setting.raw()), setting.origin());
        })
        .toList();
  }

  /** Reports unknown keys and values that are not allowed. */
  final void checkKeys() {
    settings.forEach((name, setting) -> {
      Key<?> key = keys.get(name);
      if (key != null) {
        check(key, setting);
      } else if (!name.isEmpty()) {
        problem(name, unknown(name));
      }
    });
  }

  private void check(Key<?> key, Setting setting) {
    try {
      key.type().check(setting.raw());
    } catch (RuntimeException e) {
      problem(
          key.name(),
          key.name()
              + " '"
              + SourceValues.rejected(key.type(), setting.raw())
              + "' is not "
              + key.type().allowed());
    }
  }

  /** What is wrong with a key that the entry cannot have. */
  String unknown(String name) {
    return "no such key '"
        + name
        + "' in "
        + what
        + Nearest.to(name, keys.keySet())
            .map(word -> "; did you mean '" + word + "'?")
            .orElse("; it has " + String.join(", ", keys.keySet()));
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

  /** Reports a problem at the place of a key. */
  final void problem(String at, String text) {
    problems.add(where(at) + ": " + text);
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

  /** The line of the first key that an error names, else that of the entry. */
  private String whereNamed(String message) {
    return where(
        keys.keySet().stream()
            .filter(this::has)
            .filter(key -> message.matches("(?s).*\\b" + key + "\\b.*"))
            .findFirst()
            .orElse(""));
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
    Setting setting = settings.get(name);
    Path base = setting == null ? Path.of("").toAbsolutePath() : setting.base();
    return base.resolve(path).normalize();
  }

  /** Where a credential is stored. */
  private Credential credential(String name) {
    Setting variable = settings.get(name + "-env");
    Setting file = settings.get(name + "-file");
    Setting command = settings.get(name + "-command");
    if (variable != null && file != null) {
      throw new IllegalArgumentException(
          name + "-env and " + name + "-file exclude each other; remove one");
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
