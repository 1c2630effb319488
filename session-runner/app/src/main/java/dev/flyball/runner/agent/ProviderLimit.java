package dev.flyball.runner.agent;

import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.AgentSignal.AccountExhausted;
import dev.flyball.runner.agent.AgentSignal.RateLimited;
import java.util.regex.Pattern;

/**
 * Recognizes a provider that rejects calls, which is no failure of the agent: either for now, or
 * until a person has filled up the account.
 */
final class ProviderLimit {
  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(?:429|529)\\b|rate.?limit|usage limit|too many requests|overloaded"
              + "|resource_exhausted|quota",
          Pattern.CASE_INSENSITIVE);

  /** How many characters of an error text are searched. */
  private static final int LOOKED_AT = 4096;

  private static final Pattern NO_MONEY =
      Pattern.compile(
          "insufficient_quota|billing_(?:error|hard_limit|disabled)|credit balance"
              + "|credits_required|credits are depleted|out of credits|payment required"
              + "|insufficient (?:funds|credits?|balance)",
          Pattern.CASE_INSENSITIVE);

  /** An empty account at OpenAI. Google uses the same text for limits of a minute or a day. */
  private static final Pattern QUOTA =
      Pattern.compile("exceeded your current quota|billing details", Pattern.CASE_INSENSITIVE);

  private static final Pattern LATER =
      Pattern.compile(
          "resource_exhausted|retry.?(?:in|after|delay)|try again (?:in|at)"
              + "|per.?(?:minute|day|hour)",
          Pattern.CASE_INSENSITIVE);

  private ProviderLimit() {}

  /** Whether an HTTP status means a provider's limit. */
  static boolean status(int status) {
    return status == 429 || status == 529;
  }

  /** What an agent's error text means. Each one shows that its client is alive. */
  static AgentSignal signal(String complaint) {
    String line = AgentLine.of(complaint);
    return exhausted(complaint)
        ? new AccountExhausted(line)
        : new RateLimited(words(complaint), line);
  }

  /** Whether the provider rejects calls for now. */
  static boolean words(String said) {
    return WORDS.matcher(OneLine.start(said, LOOKED_AT)).find() && !exhausted(said);
  }

  /** Whether the account is empty: no waiting helps. */
  static boolean exhausted(String said) {
    String complaint = OneLine.start(said, LOOKED_AT);
    return NO_MONEY.matcher(complaint).find()
        || (QUOTA.matcher(complaint).find() && !LATER.matcher(complaint).find());
  }
}
