package dev.flyball.contract.ledger;

import org.jspecify.annotations.Nullable;

/**
 * The budget of one scope; null means no limit.
 *
 * @param dailyCostMicros micro-dollars per UTC day of the append time
 * @param dailyTokens tokens per UTC day of the append time
 */
public record Limits(@Nullable Long dailyCostMicros, @Nullable Long dailyTokens) {
  /** No limit at all. */
  public static final Limits NONE = new Limits(null, null);

  public Limits {
    if (dailyCostMicros != null) {
      EntryChecks.amount(dailyCostMicros, "dailyCostMicros");
    }
    if (dailyTokens != null) {
      EntryChecks.amount(dailyTokens, "dailyTokens");
    }
  }
}
