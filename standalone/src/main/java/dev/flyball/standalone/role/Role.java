package dev.flyball.standalone.role;

import java.util.Locale;

/**
 * What a process can be; the label is its command, its folder in the data folder and its Kafka
 * property prefix.
 */
public enum Role {
  PRODUCER,
  TRIAGE,
  RUNNER,
  CONSOLE;

  /** The word. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
