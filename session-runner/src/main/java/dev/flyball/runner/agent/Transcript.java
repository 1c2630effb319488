package dev.flyball.runner.agent;

import dev.flyball.runner.process.ContainedProcess.Exit;

/** What an agent has said until now, within bounds, and the words for an end without an answer. */
final class Transcript {
  private static final int LAST_LINE = 4096;

  private final StringBuilder text = new StringBuilder();
  private boolean cut;
  private String lastLine = "";

  /** A line of output, whatever it means: quoted when nothing else says why the agent failed. */
  void heard(String line) {
    if (!line.isBlank()) {
      lastLine = OneLine.start(line, LAST_LINE);
    }
  }

  /** A part of the answer. */
  void append(String more) {
    int room = AgentReader.MAX_ANSWER - text.length();
    if (more.length() <= room) {
      text.append(more);
    } else {
      text.append(OneLine.start(more, Math.max(0, room)));
      cut = true;
    }
  }

  /** The answer as far as it goes. */
  String partial() {
    return cut ? text + OneLine.CUT : text.toString().strip();
  }

  /** An end by a signal. */
  AgentAnswer.Broken killed(Exit exit, String stderrTail) {
    return broken("killed by signal " + exit.signal() + " (exit " + exit.code() + ")", stderrTail);
  }

  /** An end without an answer, with the agent's last words. */
  AgentAnswer.Broken broken(String what, String stderrTail) {
    String said = stderrTail.isBlank() ? "" : "; stderr: " + OneLine.tail(stderrTail);
    if (said.isEmpty() && !lastLine.isBlank()) {
      said = "; output: " + OneLine.of(lastLine);
    }
    return new AgentAnswer.Broken(what + said, partial());
  }
}
