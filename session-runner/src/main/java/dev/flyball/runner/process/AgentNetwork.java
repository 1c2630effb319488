package dev.flyball.runner.process;

/** What agents reach of the machine's network, its loopback addresses among it. */
public enum AgentNetwork {
  /** All that the runner reaches. */
  HOST,
  /** Nothing where that works, else all; for an agent that is known to need none. */
  NONE_WHERE_POSSIBLE,
  /** Nothing; a containment that cannot hold that is refused. */
  NONE
}
