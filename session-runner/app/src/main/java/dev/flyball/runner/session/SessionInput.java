package dev.flyball.runner.session;

import dev.flyball.runner.agent.AgentSignal;

/** An event of a running session. */
public sealed interface SessionInput {

  /**
   * The agent wrote something. {@code progress} is false if it is part of a line that is not read
   * yet, because that line may only report a provider's limit.
   */
  record Output(long bytes, boolean progress) implements SessionInput {}

  /**
   * The agent finished a line on standard output or standard error. {@code progress} is false if
   * the line only reports a provider's limit.
   */
  record Line(boolean standardError, boolean progress) implements SessionInput {}

  /** A signal that was read from the agent's output. */
  record Said(AgentSignal signal) implements SessionInput {}

  /** The tree was counted. */
  record Counted(int processes, long memoryBytes) implements SessionInput {}

  /** The agent's own process ended. */
  record Exited() implements SessionInput {}

  /**
   * The request changed or was deleted, the runner shuts down, or the lease cannot be shown to
   * hold.
   */
  record Stop(EndCause cause) implements SessionInput {}

  /** Time has passed. */
  record Tick() implements SessionInput {}
}
