package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.tracker.Credential;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a list whose entries all have the keys of one record. Entries of {@code sources},
 * whose keys depend on their type, are {@link SourceEntry}.
 */
final class ListEntry {
  /** The keys of the configuration that are lists of entries, each with an entry as an example. */
  static final Map<String, String> EXAMPLES =
      Map.of(
          "sources", "{name: backlog, type: jsonl, path: backlog.jsonl}",
          "agents", "{name: deep, agent: claude, model: opus}",
          "routes", "{profile: deep, complexity: 4-5}",
          "notify", "{type: slack, url-env: SLACK_URL, on: [dead, trouble]}",
          "console.tokens", "{name: ann, token-env: ANNS_TOKEN, roles: [acme:operator]}");

  private final String what;
  private final Map<String, Setting> settings;
  private final Map<String, Key<?>> keys;
  private final List<String> problems = new ArrayList<>();

  private ListEntry(String what, Map<String, Setting> settings, List<Key<?>> keys) {
    this.what = what;
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
    var entry = new ListEntry(what, settings, keys(record));
    entry.check();
    if (entry.problems.isEmpty()) {
      try {
        return Optional.of(made.apply(KeyedRecords.made(record, entry::value)));
      } catch (IllegalArgumentException e) {
        String message = DurationText.readable(String.valueOf(e.getMessage()));
        entry.problems.add(entry.whereNamed(message) + ": " + message);
      }
    }
    problems.addAll(entry.problems);
    return Optional.empty();
  }

  /** One row for each key of each entry, as {@code config} shows them. */
  static Stream<Configuration.Row> rows(
      Configuration configuration, String list, Class<? extends Record> record) {
    var rows = new ArrayList<Configuration.Row>();
    for (Map<String, Setting> entry : configuration.list(list)) {
      String prefix = list + "[" + configuration.list(list).indexOf(entry) + "].";
      for (Key<?> key : keys(record)) {
        Setting setting = entry.get(key.name());
        String initial = key.initial() == null ? "" : key.initial();
        rows.add(
            setting == null
                ? new Configuration.Row(prefix + key.name(), initial, "default")
                : new Configuration.Row(
                    prefix + key.name(),
                    SourceValues.shown(key.type(), setting.raw()),
                    setting.origin()));
      }
    }
    return rows.stream();
  }

  private void check() {
    settings.forEach((name, setting) -> {
      Key<?> key = keys.get(name);
      if (key != null) {
        check(key, setting);
      } else if (!name.isEmpty()) {
        problems.add(setting.origin() + ": no such key '" + name + "' in " + what + meant(name));
      }
    });
    String missing =
        keys.values().stream()
            .filter(key -> key.required() && !settings.containsKey(key.name()))
            .map(Key::name)
            .collect(Collectors.joining(" and "));
    if (!missing.isEmpty()) {
      problems.add(where("") + ": " + what + " needs " + missing);
    }
  }

  private String meant(String name) {
    return Nearest.to(name, keys.keySet())
        .map(word -> "; did you mean '" + word + "'?")
        .orElse("; it has " + String.join(", ", keys.keySet()));
  }

  private void check(Key<?> key, Setting setting) {
    try {
      key.type().check(setting.raw());
    } catch (RuntimeException e) {
      problems.add(
          setting.origin()
              + ": "
              + key.name()
              + " '"
              + SourceValues.rejected(key.type(), setting.raw())
              + "' is not "
              + key.type().allowed());
    }
  }

  private @Nullable Object value(RecordComponent component) {
    ConfigKey named = component.getAnnotation(ConfigKey.class);
    if (named == null) {
      @SuppressWarnings("unchecked")
      var nested = (Class<? extends Record>) component.getType();
      return KeyedRecords.made(nested, this::value);
    }
    if (component.getType() == Credential.class) {
      return credential(named.name());
    }
    Setting setting = settings.get(named.name());
    Key<?> key = keys.get(named.name());
    String raw = setting != null ? setting.raw() : key == null ? null : key.initial();
    if (key != null && raw != null) {
      return key.type().parser().apply(raw);
    }
    return component.getType() == List.class ? List.of() : null;
  }

  /** Where a credential is stored. */
  private Credential credential(String name) {
    Setting variable = settings.get(name + "-env");
    Setting file = settings.get(name + "-file");
    if (variable != null && file != null) {
      throw new IllegalArgumentException(
          name + "-env and " + name + "-file exclude each other; remove one");
    }
    if (variable != null) {
      return new Credential.Environment(variable.raw());
    }
    return file == null
        ? new Credential.None()
        : new Credential.InFile(file.base().resolve(file.raw()).normalize());
  }

  private String where(String key) {
    Setting setting = settings.getOrDefault(key, settings.get(""));
    return setting == null ? what : setting.origin();
  }

  /** The line of the first key that an error names, else that of the entry. */
  private String whereNamed(String message) {
    return where(
        keys.keySet().stream()
            .filter(settings::containsKey)
            .filter(key -> message.matches("(?s).*\\b" + key + "\\b.*"))
            .findFirst()
            .orElse(""));
  }
}
