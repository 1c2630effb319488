package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code sources}. {@link SourceChecks} finds its problems; making a record of an
 * entry that has some is a programmer's error.
 */
final class SourceEntry {
  private final Configuration configuration;
  private final Map<String, Setting> settings;
  private final SourceType type;
  private final Map<String, Key<?>> keys = new LinkedHashMap<>();

  /**
   * An entry of this type.
   *
   * @param configuration what applies where the entry names nothing
   */
  SourceEntry(Configuration configuration, Map<String, Setting> settings, SourceType type) {
    this.configuration = configuration;
    this.settings = settings;
    this.type = type;
    type.keys().forEach(key -> keys.put(key.name(), key));
  }

  SourceType type() {
    return type;
  }

  /** The keys that it may have, by name. */
  Map<String, Key<?>> keys() {
    return keys;
  }

  /** What is written, by key. */
  Map<String, Setting> settings() {
    return settings;
  }

  /** Where it begins. */
  String where() {
    Setting first = settings.get("");
    return first == null ? "sources" : first.origin();
  }

  /** Where a key was written, else where the entry begins. */
  String where(String key) {
    Setting setting = settings.get(key);
    return setting == null ? where() : setting.origin();
  }

  /** The line of the first key that an error names, else that of the entry. */
  String whereNamed(String message) {
    return keys.keySet().stream()
        .filter(key -> has(key) && message.matches("(?s).*\\b" + key + "\\b.*"))
        .findFirst()
        .map(this::where)
        .orElseGet(this::where);
  }

  /** Whether a key is written. */
  boolean has(String key) {
    return settings.containsKey(key);
  }

  /** The value of a key, its default, or nothing; nothing too if the value is not allowed. */
  <T> Optional<T> find(Key<T> key) {
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
    return switch (key.name()) {
      case "tenant" -> configuration.get(Keys.TENANT);
      case "start" -> type.record() == SourceConfig.Jsonl.class ? "all" : "now";
      default -> key.initial();
    };
  }

  /**
   * A record of this entry, which has no problems.
   *
   * @throws IllegalArgumentException from the record, for values that do not fit each other
   */
  <R> R made(Class<R> record) {
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

  private Credential credential(String name) {
    Setting variable = settings.get(name + "-env");
    if (variable != null) {
      return new Credential.Environment(variable.raw());
    }
    Setting command = settings.get(name + "-command");
    if (command != null) {
      return new Credential.Command(command.raw());
    }
    Setting file = settings.get(name + "-file");
    return file == null
        ? new Credential.None()
        : new Credential.InFile(resolved(name + "-file", file.raw()));
  }
}
