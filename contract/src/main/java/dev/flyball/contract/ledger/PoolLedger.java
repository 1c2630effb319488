package dev.flyball.contract.ledger;

import dev.flyball.contract.topic.Pools;
import java.time.Instant;
import java.util.List;

/**
 * The ledger of a pool as people are shown it: without the caps, pauses and budgets of tenants
 * whose sessions run in another pool (decision 0043). Such a row keeps a tenant out, or is from
 * before it moved; what holds for the tenant is in the ledger of its pool. There a pause by
 * triage-stream is shown too: until it ends, the tenant cannot start sessions anywhere.
 */
public record PoolLedger(Pools pools, String pool, LedgerState state) {

  /** Whether a scope counts in this ledger. */
  public boolean counts(String scope) {
    String tenant = Scope.tenantOf(scope);
    return tenant.isEmpty() || pools.of(tenant).equals(pool);
  }

  /** The pauses in force, by scope. */
  public List<LedgerEntry.Pause> pauses(Instant now) {
    return state.pauses(now).stream().filter(pause -> counts(pause.scope())).toList();
  }

  /** The budgets of the day, by scope. */
  public List<BudgetUse> budgets(Instant now) {
    return state.budgets(now).stream().filter(use -> counts(use.scope())).toList();
  }

  /** Every scope with a cap, in order. */
  public List<String> capped() {
    return state.capped().stream().filter(this::counts).toList();
  }
}
