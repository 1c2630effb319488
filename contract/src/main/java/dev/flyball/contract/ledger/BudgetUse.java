package dev.flyball.contract.ledger;

import dev.flyball.contract.text.Dollars;
import java.util.ArrayList;
import java.util.List;

/**
 * How much of one scope's budget is spent on a UTC day. A budget is soft at {@link #WARN_PERCENT}
 * percent, hard at 100. Warnings, and the ends of sessions that are over a budget, are both decided
 * here.
 *
 * @param spentMicros micro-dollars booked so far, with running sessions, by their last renewal
 * @param spentTokens the same in tokens
 */
public record BudgetUse(String scope, Limits limits, long spentMicros, long spentTokens) {
  /** Percentage from which a warning is written. */
  public static final int WARN_PERCENT = 80;

  /** Whether enough is spent for a warning. */
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

  /** Whether less is left of its dollars than a session reserves, so that no session starts. */
  public boolean leavesLessThan(long reserve) {
    Long cost = limits.dailyCostMicros();
    return cost != null && reserve > 0 && spentMicros > cost - reserve;
  }

  /**
   * Whether a session that runs on this budget is to be ended. A session that could immediately be
   * claimed again is never ended: one that costs nothing may run on a budget that is spent to its
   * last micro-dollar.
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
      parts.add(Dollars.exact(spentMicros) + " of " + Dollars.exact(cost) + " USD");
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
      Limits limits = state.parts().operators().limits(scope);
      if (!limits.equals(Limits.NONE)) {
        Spending.Amount spent = state.parts().spending().spent(scope, epochDay);
        uses.add(new BudgetUse(scope, limits, spent.costMicros(), spent.tokens()));
      }
    }
    return uses;
  }

  /** Rounded up; limits are far too low to overflow. */
  private static long soft(long limit) {
    return (limit * WARN_PERCENT + 99) / 100;
  }
}
