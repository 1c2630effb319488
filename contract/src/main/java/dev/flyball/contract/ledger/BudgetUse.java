package dev.flyball.contract.ledger;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * How much of one scope's budget is spent on a UTC day. Soft at {@link #WARN_PERCENT} percent, hard
 * at 100: whoever warns of a budget and whoever ends the sessions that are over it decide by this.
 *
 * @param spentMicros booked so far, sessions that still run included, by their last renewal
 * @param spentTokens the same in tokens
 */
public record BudgetUse(
    String scope, LedgerEntry.Limits limits, long spentMicros, long spentTokens) {
  /** From here on a budget is warned of. */
  public static final int WARN_PERCENT = 80;

  /** Whether a part of it is spent that deserves a warning. */
  public boolean warns() {
    Long cost = limits.dailyCostMicros();
    Long tokens = limits.dailyTokens();
    return (cost != null && spentMicros > 0 && spentMicros >= soft(cost))
        || (tokens != null && spentTokens > 0 && spentTokens >= soft(tokens));
  }

  /** Whether all of it is spent. */
  public boolean exhausted() {
    Long cost = limits.dailyCostMicros();
    Long tokens = limits.dailyTokens();
    return (cost != null && spentMicros > 0 && spentMicros >= cost)
        || (tokens != null && spentTokens > 0 && spentTokens >= tokens);
  }

  /** Whether what is left of its dollars is less than a session holds back, so that none starts. */
  public boolean leavesLessThan(long reserve) {
    Long cost = limits.dailyCostMicros();
    return cost != null && reserve > 0 && spentMicros > cost - reserve;
  }

  /**
   * Whether a session that runs on this budget is to be ended. Never one that could be claimed anew
   * at once: what costs nothing may run on a budget that is spent to its last micro-dollar.
   */
  public boolean ends(Lease lease) {
    Long cost = limits.dailyCostMicros();
    Long tokens = limits.dailyTokens();
    return (cost != null && (spentMicros > cost || (spentMicros == cost && lease.reserve() > 0)))
        || (tokens != null && spentTokens >= tokens);
  }

  /** One line for a person. */
  public String text() {
    var parts = new ArrayList<String>(2);
    Long cost = limits.dailyCostMicros();
    if (cost != null) {
      parts.add(dollars(spentMicros) + " of " + dollars(cost) + " USD");
    }
    Long tokens = limits.dailyTokens();
    if (tokens != null) {
      parts.add(spentTokens + " of " + tokens + " tokens");
    }
    return "budget of " + scope + ": " + String.join(", ", parts) + " spent today";
  }

  static List<BudgetUse> of(LedgerState state, List<String> scopes, long epochDay) {
    var uses = new ArrayList<BudgetUse>(scopes.size());
    for (String scope : scopes) {
      LedgerEntry.Limits limits = state.operators().limits(scope);
      if (!limits.equals(LedgerEntry.Limits.NONE)) {
        Spending.Amount spent = state.spending().spent(scope, epochDay);
        uses.add(new BudgetUse(scope, limits, spent.costMicros(), spent.tokens()));
      }
    }
    return uses;
  }

  /** Rounded up; a limit is far below what could overflow. */
  private static long soft(long limit) {
    return (limit * WARN_PERCENT + 99) / 100;
  }

  private static String dollars(long micros) {
    return BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString();
  }
}
