package dev.flyball.runner.session;

import dev.flyball.runner.agent.AgentSignal;

/**
 * What is known of a live session.
 *
 * @param outputMs when the agent last wrote something that shows progress, in elapsed milliseconds
 *     of the driver's clock
 * @param processes of its tree, as last counted
 */
public record Vitals(
    AgentSignal.Usage usage,
    long outputMs,
    int processes,
    int processesPeak,
    long memoryPeakBytes) {

  /** The lines that an agent has written, by stream. */
  public record Lines(long out, long err) {
    static final Lines NONE = new Lines(0, 0);

    /** For a person who asks why an agent is called silent. */
    public String text() {
      return out + err == 0
          ? "it has written no line"
          : "it has written " + out + " lines to standard output, " + err + " to standard error";
    }
  }
}
