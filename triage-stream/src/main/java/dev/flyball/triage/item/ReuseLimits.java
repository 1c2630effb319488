package dev.flyball.triage.item;

import dev.flyball.contract.config.ConfigKey;
import java.time.Duration;

/**
 * How long an agent's session is resumed. The limits on its age and size can each be switched off
 * with 0. The limit on dead sessions cannot, because a session that does not work any more would be
 * resumed for ever.
 */
public record ReuseLimits(
    @ConfigKey(
            name = "sessions.reuse",
            meaning =
                "Whether an item's next session resumes the agent's earlier one, for agents that"
                    + " can (claude, codex). It saves reading the same code again")
        boolean reuse,
    @ConfigKey(
            name = "sessions.rotate.dead",
            from = 1,
            to = 20,
            meaning =
                "Resumed sessions in a row that fail without one token, after which the next one"
                    + " starts fresh")
        int dead,
    @ConfigKey(
            name = "sessions.rotate.runs",
            to = 1_000_000,
            meaning = "Sessions that use one agent session before a fresh one. 0 for no limit")
        int runs,
    @ConfigKey(
            name = "sessions.rotate.age",
            meaning = "Age at which an agent session is not resumed any more. 0s for no limit")
        Duration age,
    @ConfigKey(
            name = "sessions.rotate.input-tokens",
            to = 1_000_000_000_000L,
            meaning = "Input tokens that one agent session uses before a fresh one. 0 for no limit")
        long inputTokens) {

  /** The documented defaults. */
  public static final ReuseLimits DEFAULT =
      new ReuseLimits(true, 3, 200, Duration.ofDays(3), 2_000_000);

  /** How many past sessions an item's state has to keep, so that every limit can be applied. */
  int notes(int least) {
    return Math.max(least, dead + 1);
  }
}
