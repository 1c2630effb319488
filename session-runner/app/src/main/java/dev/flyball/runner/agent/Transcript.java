package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An agent's output so far, within bounds, and the descriptions of an end without an answer: what
 * failed, and whose fault that is.
 */
final class Transcript {
  /** It exited without an answer and without an error. */
  static final Failure NO_OUTPUT = new Failure(Kind.TRANSIENT, "no-output");

  /** It was ended before its answer; the cause of the end holds the reason. */
  static final Failure UNANSWERED = new Failure(Kind.TRANSIENT, "unanswered");

  /** It exited with a code above 0. */
  static final Failure EXIT = new Failure(Kind.TRANSIENT, "exit-code");

  static final Failure ERROR = new Failure(Kind.TRANSIENT, "agent-error");

  private static final Failure SIGNAL = new Failure(Kind.TRANSIENT, "signal");

  /** Failures that standard error may explain. */
  private static final Set<Failure> UNEXPLAINED = Set.of(NO_OUTPUT, EXIT, ERROR);

  /** Longest answer kept, in characters; the rest is cut and marked. */
  static final int MAX_ANSWER = 256 * 1024;

  private static final int MAX_REASON = 300;

  /** Longest id or name of a model, a commit, a tool or a session of the agent. */
  private static final int MAX_NAME = 200;

  /** How many characters of a text are kept or searched for one line: white space may shrink. */
  private static final int LOOKED_AT = 4096;

  static final String CUT = "\n[cut at " + MAX_ANSWER + " characters]";

  private final boolean asksModel;
  private final StringBuilder text = new StringBuilder();
  private boolean cut;
  private String lastLine = "";
  private @Nullable Fault fault;

  /**
   * Nothing yet.
   *
   * @param asksModel whether standard error says why a call failed; any other program may complain
   *     there of what else has quotas and logins
   */
  Transcript(boolean asksModel) {
    this.asksModel = asksModel;
  }

  /** Takes a line of any kind, to be quoted when nothing else explains why the agent failed. */
  void heard(String line) {
    if (!line.isBlank()) {
      lastLine = OneLine.start(line, LOOKED_AT);
    }
  }

  void append(String more) {
    int room = MAX_ANSWER - text.length();
    if (more.length() <= room) {
      text.append(more);
    } else {
      text.append(OneLine.start(more, Math.max(0, room)));
      cut = true;
    }
  }

  /** Takes what an error of the program shows; it holds until the model answers again. */
  void blames(Optional<Fault> shown) {
    shown.ifPresent(now -> fault = now.after(fault));
  }

  /** The model answered, so that what was rejected before is over. */
  void answeredAgain() {
    fault = null;
  }

  /** What the program's errors show since the model last answered; null if nothing. */
  @Nullable Fault fault() {
    return fault;
  }

  String partial() {
    return cut ? text + CUT : text.toString().strip();
  }

  AgentAnswer.Broken killed(Exit exit, String stderrTail) {
    return broken(
        SIGNAL, "killed by signal " + exit.signal() + " (exit " + exit.code() + ")", stderrTail);
  }

  AgentAnswer.Broken unanswered() {
    String said = fault == null ? "" : fault.said();
    return blaming(
        UNANSWERED, "ended before its answer" + (said.isEmpty() ? "" : ": " + line(said)));
  }

  /**
   * Describes an end without an answer, with the end of the agent's output.
   *
   * @param failure what it is unless an error before it, or the end of standard error, shows more
   */
  AgentAnswer.Broken broken(Failure failure, String what, String stderrTail) {
    String said = stderrTail.isBlank() ? "" : "; stderr: " + tail(stderrTail);
    if (said.isEmpty() && !lastLine.isBlank()) {
      said = "; output: " + line(lastLine);
    }
    explained(failure, stderrTail);
    return blaming(failure, what + said);
  }

  /** The same for an end whose error the agent reported itself. */
  AgentAnswer.Broken broken(AgentAnswer.Broken reported, String stderrTail) {
    explained(reported.failure(), stderrTail);
    return fault == null
        ? reported
        : new AgentAnswer.Broken(fault, reported.reason(), reported.text());
  }

  /** Describes an end by an error that the agent reports in these words. */
  AgentAnswer.Broken error(String words) {
    blames(Fault.in(words));
    return blaming(ERROR, line("agent error: " + words));
  }

  /** Describes an end because the program lacks the session that it was to resume. */
  AgentAnswer.Broken unknownSession(String program) {
    return new AgentAnswer.Broken(
        new Failure(Kind.TRANSIENT, Failure.UNKNOWN_SESSION),
        program + " does not know the session that it was to resume",
        partial());
  }

  /** Describes an end that is this failure unless an error before it shows more. */
  AgentAnswer.Broken blaming(Failure failure, String reason) {
    return new AgentAnswer.Broken(fault == null ? new Fault(failure) : fault, reason, partial());
  }

  private void explained(Failure failure, String stderrTail) {
    if (fault == null && asksModel && UNEXPLAINED.contains(failure)) {
      blames(Fault.atEnd(stderrTail));
    }
  }

  /** Returns the text as one line without control characters, at most 300 characters long. */
  static String line(String text) {
    return line(text, MAX_REASON);
  }

  /** The same with another length; a cut text ends with three dots. */
  static String line(String text, int length) {
    boolean whole = text.length() <= LOOKED_AT;
    String flat = OneLine.of(whole ? text : OneLine.start(text, LOOKED_AT));
    if (whole && flat.length() <= length) {
      return flat;
    }
    return OneLine.start(flat, length - 3) + "...";
  }

  /** Returns an id or a name that an agent reports, as one line of at most 200 characters. */
  static @Nullable String name(@Nullable String name) {
    return name == null ? null : line(name, MAX_NAME);
  }

  /** Returns the end of a text as one line, since the end of an agent's error holds most detail. */
  private static String tail(String text) {
    boolean whole = text.length() <= LOOKED_AT;
    String flat = OneLine.of(whole ? text : text.substring(text.length() - LOOKED_AT));
    return whole && flat.length() <= MAX_REASON
        ? flat
        : "..." + flat.substring(Math.max(0, flat.length() - MAX_REASON + 3));
  }

  /** Returns an answer within its bound. */
  static String bounded(String text) {
    return text.length() <= MAX_ANSWER + CUT.length()
        ? text
        : OneLine.start(text, MAX_ANSWER) + CUT;
  }
}
