package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.topic.Pools;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * What is spent of the budgets of all pools. A budget holds for one pool, and a tenant is in one.
 *
 * @param uses of every pool
 */
public record PoolBudgets(Pools pools, Map<String, List<BudgetUse>> uses) {
  public PoolBudgets {
    uses = Map.copyOf(uses);
  }

  /** The budgets of an installation with one pool. */
  static PoolBudgets ofOnePool(List<BudgetUse> uses) {
    return new PoolBudgets(Pools.NONE, Map.of(Pools.DEFAULT, uses));
  }

  /** The budgets of a tenant's pool. */
  List<BudgetUse> of(String tenant) {
    return uses.getOrDefault(pools.of(tenant), List.of());
  }

  /** The budgets of every pool that has one of these tenants. */
  List<BudgetUse> ofAll(Collection<String> tenants) {
    return tenants.stream()
        .map(pools::of)
        .distinct()
        .flatMap(pool -> uses.getOrDefault(pool, List.of()).stream())
        .toList();
  }
}
