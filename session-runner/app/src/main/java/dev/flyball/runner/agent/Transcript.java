package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;

/** An agent's output so far, within bounds, and the descriptions of an end without an answer. */
final class Transcript {
  /** It exited without an answer and without an error. */
  static final Failure NO_OUTPUT = new Failure(Kind.TRANSIENT, "no-output");

  /** It was ended before its answer; the cause of the end holds the reason. */
  static final Failure UNANSWERED = new Failure(Kind.TRANSIENT, "unanswered");

  /** It exited with a code above 0. */
  static final Failure EXIT = new Failure(Kind.TRANSIENT, "exit-code");

  /** The agent reported an error. */
  static final Failure ERROR = new Failure(Kind.TRANSIENT, "agent-error");

  private static final Failure SIGNAL = new Failure(Kind.TRANSIENT, "signal");
  private static final int LAST_LINE = 4096;

  private final StringBuilder text = new StringBuilder();
  private boolean cut;
  private String lastLine = "";

  /**
   * Takes a line of output, whatever it means. It is quoted when nothing else explains why the
   * agent failed.
   */
  void heard(String line) {
    if (!line.isBlank()) {
      lastLine = OneLine.start(line, LAST_LINE);
    }
  }

  /** Adds a part of the answer. */
  void append(String more) {
    int room = AgentReader.MAX_ANSWER - text.length();
    if (more.length() <= room) {
      text.append(more);
    } else {
      text.append(OneLine.start(more, Math.max(0, room)));
      cut = true;
    }
  }

  /** The answer so far. */
  String partial() {
    return cut ? text + AgentLine.CUT : text.toString().strip();
  }

  /** Describes an end by a signal. */
  AgentAnswer.Broken killed(Exit exit, String stderrTail) {
    return broken(
        SIGNAL, "killed by signal " + exit.signal() + " (exit " + exit.code() + ")", stderrTail);
  }

  /** Describes an end before the answer. */
  AgentAnswer.Broken unanswered() {
    return new AgentAnswer.Broken(UNANSWERED, "ended before its answer", partial());
  }

  /** Describes an end without an answer, with the end of the agent's output. */
  AgentAnswer.Broken broken(Failure failure, String what, String stderrTail) {
    String said = stderrTail.isBlank() ? "" : "; stderr: " + AgentLine.tail(stderrTail);
    if (said.isEmpty() && !lastLine.isBlank()) {
      said = "; output: " + AgentLine.of(lastLine);
    }
    return new AgentAnswer.Broken(failure, what + said, partial());
  }
}
