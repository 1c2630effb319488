package dev.flyball.runner.session;

import dev.flyball.runner.agent.AgentSignal;

/** What happens to a running session. */
public sealed interface SessionInput {

  /**
   * The agent wrote something; {@code progress} is false if it only said that its provider makes it
   * wait.
   */
  record Output(long bytes, boolean progress) implements SessionInput {}

  /** Something that its output meant. */
  record Said(AgentSignal signal) implements SessionInput {}

  /** The tree was counted. */
  record Counted(int processes, long memoryBytes) implements SessionInput {}

  /** The agent's own process ended. */
  record Exited() implements SessionInput {}

  /**
   * Its request changed or went away, the runner shuts down, or its lease can not be shown to hold.
   */
  record Stop(EndCause cause) implements SessionInput {}

  /** Time has passed. */
  record Tick() implements SessionInput {}
}
