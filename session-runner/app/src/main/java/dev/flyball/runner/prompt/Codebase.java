package dev.flyball.runner.prompt;

/**
 * A summary of a repository, made once for many sessions, so that no session has to search for it:
 * an agent without it lists the whole tree first.
 *
 * @param text the commit, languages, modules, entry points and tree; bounded, ends with a line end,
 *     empty where nothing is known
 */
public record Codebase(String text) {
  /** The summary where nothing is known. */
  public static final Codebase UNKNOWN = new Codebase("");
}
