package dev.flyball.runner.session;

import org.jspecify.annotations.Nullable;

/** What the driver of a session has to do. */
public sealed interface SessionStep {

  /** Say that the agent is identified. */
  record Identified(@Nullable String agentSession, @Nullable String model) implements SessionStep {}

  /** Say how far it is; {@code note} is a warning, null if there is none. */
  record Progress(Vitals vitals, @Nullable String note) implements SessionStep {}

  /** Say that it hangs. */
  record Hung(long silentMs) implements SessionStep {}

  /** Say that it speaks again. */
  record Recovered() implements SessionStep {}

  /** End the tree; at once for a lease fence, by the ladder otherwise. */
  record Kill(EndCause cause, boolean atOnce) implements SessionStep {}

  /** The agent ended by itself: end what is left of its tree. */
  record Finish() implements SessionStep {}
}
