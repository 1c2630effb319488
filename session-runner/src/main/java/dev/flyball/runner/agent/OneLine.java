package dev.flyball.runner.agent;

/** Foreign text made fit for a reason or an answer. */
final class OneLine {
  private static final int MAX_REASON = 300;

  private OneLine() {}

  /** Without control characters and line ends, at most 300 characters. */
  static String of(String text) {
    String flat = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return flat.length() <= MAX_REASON ? flat : flat.substring(0, MAX_REASON - 3) + "...";
  }

  /** The end of some text as one line, since the last words of an agent's complaint say most. */
  static String tail(String text) {
    String flat = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    return flat.length() <= MAX_REASON
        ? flat
        : "..." + flat.substring(flat.length() - MAX_REASON + 3);
  }

  /** An answer within its bound. */
  static String bounded(String text) {
    return text.length() <= AgentReader.MAX_ANSWER
        ? text
        : text.substring(0, AgentReader.MAX_ANSWER)
            + "\n[cut at "
            + AgentReader.MAX_ANSWER
            + " characters]";
  }
}
