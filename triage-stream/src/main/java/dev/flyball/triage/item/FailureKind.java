package dev.flyball.triage.item;

import dev.flyball.contract.session.Outcome;
import java.util.List;
import java.util.Locale;

/** Whether trying again can help. */
public enum FailureKind {
  /** It may go better next time. */
  TRANSIENT,
  /**
   * The next attempt would end the same way: the agent or its settings are at fault, not the
   * moment.
   */
  PERMANENT,
  /** The item itself is at fault. */
  POISON;

  private static final List<String> PERMANENT_REASONS =
      List.of(
          "permanent",
          "not executable",
          "not found",
          "no such agent",
          "agent missing",
          "cannot start",
          "output limit",
          "memory limit",
          // Trying again would spend the same once more.
          "session budget",
          "agent error error_max_budget_usd",
          "containment");

  private static final List<String> POISON_REASONS = List.of("poison", "prompt too long");

  /** Reads the reason as runners word it; what is not recognised is worth another attempt. */
  public static FailureKind of(Outcome outcome, String reason) {
    String words = reason.toLowerCase(Locale.ROOT);
    if (outcome != Outcome.FAILED) {
      return TRANSIENT;
    } else if (POISON_REASONS.stream().anyMatch(words::startsWith)) {
      return POISON;
    } else if (PERMANENT_REASONS.stream().anyMatch(words::startsWith)) {
      return PERMANENT;
    }
    return TRANSIENT;
  }
}
