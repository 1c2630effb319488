package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Pools;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerAtEnd;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/**
 * The budgets by the ledgers of all pools, read from the newest checkpoint to the end each time.
 * The stream's own folds may be in another process. Before the first runner has written a budget to
 * the default pool's ledger, the configured one counts: the first batch may be asked before any
 * runner runs. The budgets of the other pools are not known here. Such a pool counts as one without
 * budgets until its first runner has written them.
 */
public final class LedgerBudgets implements BudgetedClassifier.Budgets {
  private final KafkaClients clients;
  private final List<ScopedLimits> configured;

  /**
   * Nothing is opened yet.
   *
   * @param configured the budgets that a runner of the default pool writes to an empty ledger
   */
  public LedgerBudgets(KafkaClients clients, List<ScopedLimits> configured) {
    this.clients = clients;
    this.configured = List.copyOf(configured);
  }

  @Override
  public PoolBudgets now() {
    var uses = new HashMap<String, List<BudgetUse>>();
    LedgerAtEnd.ofAllPools(clients, () -> true)
        .forEach((pool, ledger) -> {
          List<ScopedLimits> until = pool.equals(Pools.DEFAULT) ? configured : List.of();
          uses.put(pool, with(until, ledger.state(), ledger.at()));
        });
    return new PoolBudgets(clients.topics().pools(), uses);
  }

  private static List<BudgetUse> with(
      List<ScopedLimits> configured, LedgerState state, Instant at) {
    var uses = new ArrayList<>(state.budgets(at));
    for (ScopedLimits each : configured) {
      String scope = each.scope();
      if (!state.limitsSet(scope)) {
        long micros = state.spentMicros(scope, at);
        uses.add(new BudgetUse(scope, each.limits(), micros, state.spentTokens(scope, at)));
      }
    }
    return uses;
  }
}
