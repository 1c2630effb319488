package dev.flyball.runner.agent;

import dev.flyball.contract.text.OneLine;
import org.jspecify.annotations.Nullable;

/** Makes foreign text fit for a reason or an answer. */
final class AgentLine {
  private static final int MAX_REASON = 300;

  /** Longest id or name of a model, a commit, a tool or a session of the agent. */
  private static final int MAX_NAME = 200;

  /** How many characters of a text are searched for one line: white space may shrink. */
  private static final int LOOKED_AT = 4096;

  /** The end of an answer that was cut. */
  static final String CUT = "\n[cut at " + AgentReader.MAX_ANSWER + " characters]";

  private AgentLine() {}

  /** Returns the text as one line without control characters, at most 300 characters long. */
  static String of(String text) {
    return of(text, MAX_REASON);
  }

  /** The same with another length; a cut text ends with three dots. */
  static String of(String text, int length) {
    boolean whole = text.length() <= LOOKED_AT;
    String flat = OneLine.of(whole ? text : OneLine.start(text, LOOKED_AT));
    if (whole && flat.length() <= length) {
      return flat;
    }
    return OneLine.start(flat, length - 3) + "...";
  }

  /** Returns an id or a name that an agent reports, as one line of at most 200 characters. */
  static @Nullable String name(@Nullable String name) {
    return name == null ? null : of(name, MAX_NAME);
  }

  /** Returns the end of a text as one line, since the end of an agent's error holds most detail. */
  static String tail(String text) {
    boolean whole = text.length() <= LOOKED_AT;
    String flat = OneLine.of(whole ? text : text.substring(text.length() - LOOKED_AT));
    return whole && flat.length() <= MAX_REASON
        ? flat
        : "..." + flat.substring(Math.max(0, flat.length() - MAX_REASON + 3));
  }

  /** Returns an answer within its bound. */
  static String bounded(String text) {
    return text.length() <= AgentReader.MAX_ANSWER + CUT.length()
        ? text
        : OneLine.start(text, AgentReader.MAX_ANSWER) + CUT;
  }
}
