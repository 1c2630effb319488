package dev.flyball.program.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration.
 *
 * @param name as in flyball.yaml, dots between its parts
 * @param initial the default, as it would be written; null if there is none
 * @param meaning one line for a person
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

  /** The same key where not every entry needs it. */
  Key<T> optional() {
    return new Key<>(name, type, initial, meaning, false, example);
  }

  /** The first part of its name. */
  String section() {
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  /** The environment variable that sets it. */
  public String variable() {
    return "FLYBALL_" + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }

  @Override
  public String toString() {
    return name;
  }
}
