package dev.flyball.runner.session;

import org.jspecify.annotations.Nullable;

/** The work of a session's driver. */
public sealed interface SessionStep {

  /** Report that the agent is identified. */
  record Identified(@Nullable String agentSession, @Nullable String model) implements SessionStep {}

  /** Report the session's progress. */
  record Progress(Vitals vitals) implements SessionStep {}

  /** Warn that the tree has more processes than {@code sessions.processes.warn}; once. */
  record Grown(Vitals vitals, int limit) implements SessionStep {}

  /** Report that the session hangs. */
  record Hung(long silentMs, Vitals.Lines seen) implements SessionStep {}

  /** Report that the agent writes again. */
  record Recovered() implements SessionStep {}

  /** End the tree: immediately for a lease fence, by the ladder otherwise. */
  record Kill(EndCause cause) implements SessionStep {}

  /** The agent ended by itself: end what is left of its tree. */
  record Finish() implements SessionStep {}
}
