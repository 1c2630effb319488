package dev.flyball.runner.agent;

import java.util.regex.Pattern;

/** Recognises a provider that refuses for now: such a failure is not the agent's (trap T6). */
final class ProviderLimit {
  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(?:429|529)\\b|rate.?limit|usage limit|too many requests|overloaded"
              + "|resource_exhausted|quota",
          Pattern.CASE_INSENSITIVE);

  private ProviderLimit() {}

  /** Whether an HTTP status says so. */
  static boolean status(int status) {
    return status == 429 || status == 529;
  }

  /** Whether an agent's complaint says so. An account without money does not recover by waiting. */
  static boolean words(String complaint) {
    return WORDS.matcher(complaint).find() && !complaint.contains("insufficient");
  }
}
