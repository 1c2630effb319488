package dev.flyball.runner.agent;

import java.util.List;

/** The agents that may be configured. */
public final class AgentCatalogue {
  /** Those that ask a model, for help and errors. */
  public static final String OF_MODELS = "claude, codex, gemini, qwen";

  /** What may be configured, for help and errors. */
  public static final String KNOWN = "scout, " + OF_MODELS + " or command:/path/to/program";

  /** The same as a regular expression. */
  public static final String PATTERN = "scout|claude|codex|gemini|qwen|command:.+";

  /** The agents that are chosen by their name. */
  public static final List<AgentProgram> NAMED =
      List.of(new Scout(), new Claude(null), new Codex(null), new Gemini(null), new Qwen(null));

  private static final String COMMAND = "command:";

  private AgentCatalogue() {}

  /**
   * Reads a configured name.
   *
   * @throws IllegalArgumentException if there is no such agent; the message lists the known ones
   */
  public static AgentProgram parse(String text) {
    return text.startsWith(COMMAND)
        ? new Command(text.substring(COMMAND.length()))
        : NAMED.stream()
            .filter(each -> each.name().equals(text))
            .findFirst()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "sessions.agent '" + text + "' is unknown; use " + KNOWN));
  }
}
