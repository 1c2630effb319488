package dev.flyball.program.config;

import dev.flyball.tracker.Credential;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One entry of {@code sources}: first checked for every problem, then read. Reading an entry that
 * has problems is a programmer's error.
 */
final class SourceEntry {
  private final Map<String, Setting> settings;
  private final List<String> problems;
  private final int before;

  /** An entry whose problems are added to these. */
  SourceEntry(Map<String, Setting> settings, List<String> problems) {
    this.settings = settings;
    this.problems = problems;
    this.before = problems.size();
  }

  /** Whether no problem was found. */
  boolean right() {
    return problems.size() == before;
  }

  /** Where it begins. */
  String where() {
    Setting first = settings.get("");
    return first == null ? "sources" : first.origin();
  }

  /** Where a key was written, else where the entry begins. */
  String where(Key<?> key) {
    Setting setting = settings.get(key.name());
    return setting == null ? where() : setting.origin();
  }

  boolean has(Key<?> key) {
    return settings.containsKey(key.name());
  }

  void problem(String where, String what) {
    problems.add(where + ": " + what);
  }

  /** Its type; empty, with a problem added, if it names no known type. */
  Optional<SourceType> type() {
    if (!has(SourceKeys.TYPE)) {
      problem(where(), "a source needs a type, " + SourceKeys.TYPE.type().allowed());
      return Optional.empty();
    }
    check(SourceKeys.TYPE);
    return find(SourceKeys.TYPE).flatMap(SourceType::named);
  }

  /** Checks every key by itself. */
  void check(SourceType type) {
    Map<String, Key<?>> known =
        type.keys().stream().collect(Collectors.toMap(Key::name, key -> key));
    settings.forEach((name, setting) -> {
      Key<?> key = known.get(name);
      if (key != null) {
        check(key);
      } else if (SourceKeys.isSecret(name)) {
        problem(
            setting.origin(),
            "a secret does not belong into the configuration; name the environment variable that"
                + " holds it with token-env, or the file with token-file, instead of "
                + name);
      } else if (!name.isEmpty()) {
        problem(
            setting.origin(),
            "no such key '"
                + name
                + "' in a source of type "
                + type.label()
                + Nearest.to(name, known.keySet())
                    .map(word -> "; did you mean '" + word + "'?")
                    .orElse("; it has " + String.join(", ", names(type.keys()))));
      }
    });
    List<String> missing =
        type.required().stream().filter(key -> !has(key)).map(Key::name).toList();
    if (!missing.isEmpty()) {
      problem(
          where(), "a source of type " + type.label() + " needs " + String.join(" and ", missing));
    }
    if (!has(SourceKeys.NAME)) {
      problem(where(), "a source needs a name, " + SourceKeys.NAME.type().allowed());
    }
  }

  private static List<String> names(List<Key<?>> keys) {
    return keys.stream().<String>map(Key::name).toList();
  }

  private void check(Key<?> key) {
    Setting setting = settings.get(key.name());
    if (setting == null) {
      return;
    }
    try {
      key.type().check(setting.raw());
    } catch (IllegalArgumentException | ArithmeticException e) {
      problem(
          setting.origin(),
          key.name()
              + " '"
              + SourceKeys.refused(key, setting.raw())
              + "' is not "
              + key.type().allowed());
    }
  }

  /** The value of a key, its default, or nothing. */
  <T> Optional<T> find(Key<T> key) {
    Setting setting = settings.get(key.name());
    String raw = setting == null ? key.initial() : setting.raw();
    try {
      return Optional.ofNullable(raw).map(key.type().parser());
    } catch (IllegalArgumentException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  <T> T get(Key<T> key) {
    return find(key)
        .orElseThrow(() -> new IllegalStateException(key + " was not checked before it was read"));
  }

  /** A path, absolute; a relative one counts from the folder of the file that names it. */
  Path path(Key<Path> key) {
    return base(key).resolve(get(key)).normalize();
  }

  Optional<Path> findPath(Key<Path> key) {
    return has(key) ? Optional.of(path(key)) : Optional.empty();
  }

  /** A program: a bare name is looked up on PATH, everything else is a path. */
  String program(Key<String> key) {
    String name = get(key);
    return name.contains("/") ? base(key).resolve(name).normalize().toString() : name;
  }

  private Path base(Key<?> key) {
    Setting setting = settings.get(key.name());
    return setting == null ? Path.of("").toAbsolutePath() : setting.base();
  }

  /** Where a secret is stored; adds a problem if two places are named. */
  Credential token(Key<String> variable, Key<Path> file) {
    Path path = findPath(file).orElse(null);
    @Nullable String name = find(variable).orElse(null);
    if (path != null && name != null) {
      problem(where(file), "name one of " + variable.name() + " and " + file.name() + ", not both");
    }
    if (name != null) {
      return new Credential.Environment(name);
    }
    return path == null ? new Credential.None() : new Credential.InFile(path);
  }
}
