package dev.flyball.contract.ledger;

import dev.flyball.contract.text.Dollars;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Map;

/**
 * How much of one scope's budget is spent on a UTC day. A budget is soft at {@link #WARN_PERCENT}
 * percent, hard at 100. Warnings, and the ends of sessions that are over a budget, are both decided
 * here.
 *
 * @param spentMicros micro-dollars booked so far, with running sessions, by their last renewal
 * @param spentTokens the same in tokens
 * @param reservedMicros micro-dollars that open leases and calls of triage hold back and have not
 *     spent
 */
public record BudgetUse(
    String scope, Limits limits, long spentMicros, long spentTokens, long reservedMicros) {
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

  /**
   * Whether its dollars allow a claim: the ledger's rule, by which all that reports a budget as
   * spent must go.
   *
   * @param reserve micro-dollars that the claim would hold back
   */
  boolean allows(long reserve) {
    Long cost = limits.dailyCostMicros();
    return cost == null || spentMicros <= cost - reservedMicros - reserve;
  }

  /** Whether less of its dollars is left than this, beside reserves, so that nothing may start. */
  public boolean leavesLessThan(long reserve) {
    return reserve > 0 && !allows(reserve);
  }

  /**
   * Whether it is spent for today: all of it, or so much that less is left than a session reserves.
   * The second is how a budget ends normally, because claims stop before all is spent.
   *
   * @param reserve micro-dollars that a session reserves; 0 if that is unknown or it is free
   * @param live open leases of its scope: while there are some, or a call of triage holds money
   *     back, what is left is not counted
   */
  public boolean spent(long reserve, int live) {
    boolean held = live > 0 || reservedMicros > 0;
    return exhausted() || (!held && spentMicros > 0 && leavesLessThan(reserve));
  }

  /**
   * The smallest amount that a session which costs money reserves: where even that does not fit,
   * none starts. 0 if none costs money.
   *
   * @param reserves micro-dollars by profile
   */
  public static long leastReserve(Map<String, Long> reserves) {
    return reserves.values().stream()
        .filter(each -> each > 0)
        .min(Comparator.naturalOrder())
        .orElse(0L);
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

  /** A scope's budget, which may be none, and what is spent and held back of it on a day. */
  static BudgetUse of(LedgerState state, String scope, long epochDay) {
    Spending.Amount spent = state.parts().spending().spent(scope, epochDay);
    return new BudgetUse(
        scope,
        state.limits(scope),
        spent.costMicros(),
        spent.tokens(),
        state.reservedMicros(scope));
  }

  /** Rounded up; limits are far too low to overflow. */
  private static long soft(long limit) {
    return (limit * WARN_PERCENT + 99) / 100;
  }
}
