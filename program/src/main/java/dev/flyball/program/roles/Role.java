package dev.flyball.program.roles;

import java.util.Locale;

/**
 * The roles of a process; the label is the role's command, its folder in the data folder and its
 * Kafka property prefix.
 */
public enum Role {
  PRODUCER,
  TRIAGE,
  RUNNER,
  CONSOLE;

  /** The name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
