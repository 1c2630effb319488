package dev.flyball.runner.prompt;

import java.util.List;

/**
 * How far an agent may search the repository ({@code sessions.search}). The prompt says it, and
 * claude is offered only the tools for it; what a session really starts is held by its process
 * limit.
 */
public enum Search {
  /** A few searches where the summary of the repository does not answer. */
  BOUNDED(
      """
      - Search only for what the summary does not answer: at most 5 searches (grep, find or glob),
        each in the folders that matter, one after the other. Read at most 12 files.\
      """,
      List.of("Read", "Glob", "Grep")),
  /** None: the agent finds its way by the summary alone. */
  NONE(
      "- Do NOT run grep, find, or recursive searches. Read at most 5 files.",
      List.of("Read", "Glob"));

  private final String limits;
  private final List<String> tools;

  Search(String limits, List<String> tools) {
    this.limits = limits;
    this.tools = tools;
  }

  /** What the prompt says, one or more lines of a list. */
  String limits() {
    return limits;
  }

  /**
   * The tools of Claude Code for it. They change nothing and start nothing but a search: no shell,
   * no subagents, no network. What is not named does not exist for the model.
   */
  public List<String> tools() {
    return tools;
  }
}
