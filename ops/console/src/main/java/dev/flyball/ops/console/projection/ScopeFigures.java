package dev.flyball.ops.console.projection;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pauses and budgets of the ledger by the kind of their scope. There are as many scopes as tenants,
 * sources and providers, so metrics show kinds only.
 *
 * @param pausesOf how many scopes of a kind are paused
 * @param spentOf how many budgets of a kind are spent for today
 * @param budgetOf the largest spent part of a budget of a kind's scopes; 1 is all of it
 */
record ScopeFigures(
    Map<String, Long> pausesOf, Map<String, Double> budgetOf, Map<String, Long> spentOf) {
  /** The part of a scope's name before the colon; a global scope has only that part. */
  static final List<String> KINDS = List.of("global", "tenant", "source", "provider");

  static final ScopeFigures NONE = new ScopeFigures(Map.of(), Map.of(), Map.of());

  ScopeFigures {
    pausesOf = Map.copyOf(pausesOf);
    budgetOf = Map.copyOf(budgetOf);
    spentOf = Map.copyOf(spentOf);
  }

  /**
   * The figures of a ledger.
   *
   * @param reserve the least that a session which costs money reserves, in micro-dollars
   * @param now the wall clock
   */
  static ScopeFigures of(LedgerState ledger, long reserve, Instant now) {
    var pauses = new HashMap<String, Long>();
    for (LedgerEntry.Pause pause : ledger.pauses(now)) {
      pauses.merge(kind(pause.scope()), 1L, Long::sum);
    }
    var used = new HashMap<String, Double>();
    var spent = new HashMap<String, Long>();
    for (BudgetUse budget : ledger.budgets(now)) {
      used.merge(kind(budget.scope()), used(budget), Math::max);
      if (budget.spent(reserve, ledger.live(budget.scope()))) {
        spent.merge(kind(budget.scope()), 1L, Long::sum);
      }
    }
    return new ScopeFigures(pauses, used, spent);
  }

  long pauses(String kind) {
    return pausesOf.getOrDefault(kind, 0L);
  }

  double budgetUsed(String kind) {
    return budgetOf.getOrDefault(kind, 0.0);
  }

  long budgetsSpent(String kind) {
    return spentOf.getOrDefault(kind, 0L);
  }

  private static double used(BudgetUse budget) {
    return Math.max(
        part(budget.spentMicros(), budget.limits().dailyCostMicros()),
        part(budget.spentTokens(), budget.limits().dailyTokens()));
  }

  /** A limit of 0 allows nothing, but nothing is spent of it either. */
  private static double part(long spent, @Nullable Long limit) {
    return limit == null || spent == 0 ? 0 : (double) spent / Math.max(1, limit);
  }

  private static String kind(String scope) {
    return scope.split(":", 2)[0];
  }
}
