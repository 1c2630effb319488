package dev.flyball.runner.agent;

import java.util.regex.Pattern;

/** Recognises a provider that refuses for now: such a failure is not the agent's (trap T6). */
final class ProviderLimit {
  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(?:429|529)\\b|rate.?limit|usage limit|too many requests|overloaded"
              + "|resource_exhausted|quota",
          Pattern.CASE_INSENSITIVE);

  /** How much of a complaint is searched. */
  private static final int LOOKED_AT = 4096;

  private ProviderLimit() {}

  /** Whether an HTTP status says so. */
  static boolean status(int status) {
    return status == 429 || status == 529;
  }

  /** Whether an agent's complaint says so. An account without money does not recover by waiting. */
  static boolean words(String said) {
    String complaint = OneLine.start(said, LOOKED_AT);
    return WORDS.matcher(complaint).find() && !complaint.contains("insufficient");
  }
}
