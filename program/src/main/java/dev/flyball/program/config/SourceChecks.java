package dev.flyball.program.config;

import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds everything that is wrong with the keys of one entry of {@code sources}. */
final class SourceChecks {
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

  private final SourceEntry entry;
  private final List<String> problems;

  private SourceChecks(SourceEntry entry, List<String> problems) {
    this.entry = entry;
    this.problems = problems;
  }

  /**
   * Adds the problems of single keys, missing ones and keys without effect; each begins with its
   * place.
   *
   * @return whether there are none
   */
  static boolean passes(SourceEntry entry, List<String> problems) {
    int before = problems.size();
    new SourceChecks(entry, problems).all();
    return problems.size() == before;
  }

  private void all() {
    entry
        .settings()
        .forEach((name, setting) -> {
          Key<?> key = entry.keys().get(name);
          if (key != null) {
            check(key, setting);
          } else if (!name.isEmpty()) {
            problem(setting.origin(), unknown(name));
          }
        });
    missing("a source of type " + entry.type().label(), entry.where(), entry.type().own());
    if (!entry.has("name")) {
      Key<?> name = Objects.requireNonNull(entry.keys().get("name"));
      problem(entry.where(), "a source needs a name, " + name.type().allowed());
    }
    if (entry.type().needsCredential() && TOKENS.stream().noneMatch(entry::has)) {
      problem(
          entry.where(),
          "a source of type "
              + entry.type().label()
              + " needs a token; name its environment variable with token-env, its file with"
              + " token-file, or a command that prints it with token-command");
    }
    entry.keys().keySet().stream().filter(key -> key.endsWith("-env")).forEach(this::onePlace);
    writeBack();
    revisit();
  }

  private String unknown(String name) {
    if (SECRETS.contains(name)) {
      return "a secret does not belong into the configuration; name the environment variable that"
          + " holds it with token-env, or the file with token-file, instead of "
          + name;
    }
    return "no such key '"
        + name
        + "' in a source of type "
        + entry.type().label()
        + Nearest.to(name, entry.keys().keySet())
            .map(word -> "; did you mean '" + word + "'?")
            .orElse("; it has " + String.join(", ", entry.keys().keySet()));
  }

  private void check(Key<?> key, Setting setting) {
    try {
      key.type().check(setting.raw());
    } catch (IllegalArgumentException | ArithmeticException e) {
      problem(
          setting.origin(),
          key.name()
              + " '"
              + SourceValues.rejected(key.type(), setting.raw())
              + "' is not "
              + key.type().allowed());
    }
  }

  private void missing(String what, String where, List<Key<?>> wanted) {
    String missing =
        wanted.stream()
            .filter(key -> key.required() && !entry.has(key.name()))
            .map(Key::name)
            .collect(Collectors.joining(" and "));
    if (!missing.isEmpty()) {
      problem(where, what + " needs " + missing);
    }
  }

  /** A credential is stored in one place. */
  private void onePlace(String variable) {
    List<String> written =
        Stream.of("env", "file", "command")
            .map(place -> variable.replaceFirst("env$", place))
            .filter(entry::has)
            .toList();
    if (written.size() > 1) {
      problem(
          entry.where(written.get(1)),
          "name one of " + String.join(" and ", written) + ", not both");
    }
  }

  /** Reports what the chosen write-back lacks, and keys of another one: they would do nothing. */
  private void writeBack() {
    Key<String> choice = KeyedRecords.choice(WriteBack.class);
    String name = choice.name();
    Optional<String> chosen = entry.find(choice);
    KeyedRecords.choices(WriteBack.class)
        .forEach((value, record) -> {
          List<Key<?>> own = KeyedRecords.keys(record).toList();
          if (chosen.filter(value::equals).isPresent()) {
            missing(name + ": " + value, entry.where(name), own);
          } else {
            own.stream()
                .map(Key::name)
                .filter(entry::has)
                .forEach(key -> problem(entry.where(key), key + " needs " + name + ": " + value));
          }
        });
    if (chosen.filter("comment"::equals).isPresent()) {
      if (!entry.type().comments()) {
        problem(
            entry.where(name), "a source of type " + entry.type().label() + " takes no comments");
      } else if (TOKENS.stream().noneMatch(entry::has)) {
        problem(entry.where(name), "comments need a token: token-env, token-file or token-command");
      }
    }
  }

  private void revisit() {
    Key<?> key = Objects.requireNonNull(entry.keys().get("revisit"));
    Duration floor = SourceConfig.TRACKER_FLOOR;
    if (entry.find(key).orElse(null) instanceof Duration every && every.compareTo(floor) < 0) {
      problem(
          entry.where(key.name()),
          "revisit "
              + DurationText.format(every)
              + " is below the floor of "
              + DurationText.format(floor));
    }
  }

  private void problem(String where, String what) {
    problems.add(where + ": " + what);
  }
}
