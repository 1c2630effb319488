package dev.flyball.program.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration.
 *
 * @param name as in flyball.yaml, dots between its parts
 * @param initial the default, as it would be written; null if there is none
 * @param meaning one line for a person
 */
public record Key<T>(String name, ValueType<T> type, @Nullable String initial, String meaning) {

  /** The environment variable that sets it. */
  public String variable() {
    return "FLYBALL_" + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }

  @Override
  public String toString() {
    return name;
  }
}
