package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import java.util.List;

/** Turns one session's output into signals. Called by one thread at a time. */
public interface AgentReader {

  /** Longest answer kept, in characters; the rest is cut and marked. */
  int MAX_ANSWER = 256 * 1024;

  /** Takes one line of standard output, without its line end; returns its signals, often none. */
  List<AgentSignal> line(String line);

  /**
   * Returns the agent's answer; called once after its end.
   *
   * @param stderrTail the last part of its standard error
   */
  AgentAnswer end(Exit exit, String stderrTail);

  /**
   * What it has answered until now, for a session that is ended from outside. It is complete if the
   * agent has reported its result, else broken with the text so far.
   */
  AgentAnswer soFar();

  /** The same for a session that was ended because its agent had been silent for long. */
  default AgentAnswer afterSilence() {
    return soFar();
  }

  /** How far the agent has reported what it used. */
  Reported reported();

  /** How far an agent has reported what it used. */
  enum Reported {
    /** It began no turn, so it has used nothing. */
    NO_TURN,
    /** A turn began, and what it used is not known, or not all of it. */
    IN_PART,
    /** It reported all of it, or its provider rejected its only request. */
    ALL
  }
}
