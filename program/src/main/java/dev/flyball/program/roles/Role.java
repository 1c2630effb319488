package dev.flyball.program.roles;

import dev.flyball.contract.text.Labelled;

/**
 * The roles of a process; the label is the role's command, its folder in the data folder and its
 * Kafka property prefix. In the order in which they stop: a runner's last events must still be
 * projected.
 */
public enum Role implements Labelled {
  PRODUCER,
  RUNNER,
  TRIAGE,
  CONSOLE;
}
