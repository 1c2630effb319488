package dev.flyball.containment;

/** Which part of the machine's network agents can reach, its loopback addresses included. */
public enum AgentNetwork {
  /** All that the runner can reach. */
  HOST,
  /** Nothing where that works, else all; for an agent that needs no network. */
  NONE_WHERE_POSSIBLE,
  /** Nothing; a containment that cannot ensure that is not used. */
  NONE
}
