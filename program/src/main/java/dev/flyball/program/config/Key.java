package dev.flyball.program.config;

import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.tracker.Credential;
import java.time.DateTimeException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration.
 *
 * @param name as in flyball.yaml, dots between its parts
 * @param initial the default, as it would be written; null if there is none
 * @param meaning one line for a person; empty where docs/configuration.md says it
 * @param required whether an entry of a list needs it
 * @param example an answer that {@code init} offers; empty for none
 */
public record Key<T>(
    String name,
    ValueType<T> type,
    @Nullable String initial,
    String meaning,
    boolean required,
    String example) {

  /** The two keys that say where a secret is stored: in a variable, or in a file. */
  static List<Key<Credential>> ofSecret(String secret, String meaning, String example) {
    String variable =
        meaning.isEmpty()
            ? ""
            : "The environment variable with " + meaning + "; this or `" + secret + "-file`";
    return List.of(
        new Key<>(secret + "-env", ValueType.VARIABLE, null, variable, false, example),
        new Key<>(
            secret + "-file",
            ValueType.SECRET_FILE,
            null,
            "The same in a file's first line",
            false,
            ""));
  }

  /** The same key where not every entry needs it. */
  Key<T> optional() {
    return new Key<>(name, type, initial, meaning, false, example);
  }

  /** The value of what was written, else the default; empty if there is none. */
  Optional<T> value(@Nullable Setting written) {
    return written == null
        ? Optional.ofNullable(initial).map(it -> type.parse(it, Configuration.HERE))
        : Optional.of(type.parse(written.raw(), written.base()));
  }

  /** What is wrong with a value; empty if it is allowed. */
  Optional<String> refusal(String raw) {
    try {
      var _ = type.parse(raw, Configuration.HERE);
      return Optional.empty();
    } catch (IllegalArgumentException
        | ArithmeticException
        | DateTimeException
        | UnreadableRecord e) {
      return Optional.of("'" + type.rejected(raw) + "' is not " + type.allowed());
    }
  }

  /** The environment variable that sets the key of a name. */
  static String variable(String name) {
    return "FLYBALL_" + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }

  @Override
  public String toString() {
    return name;
  }
}
