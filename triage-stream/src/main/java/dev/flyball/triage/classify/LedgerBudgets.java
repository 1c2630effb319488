package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerAtEnd;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The budgets by the ledger, read from the newest checkpoint to the end each time. The stream's own
 * fold may be in another process. Before the first runner has written a budget to the ledger, the
 * configured one counts: the first batch may be asked before any runner runs.
 */
public final class LedgerBudgets implements BudgetedClassifier.Budgets {
  private final KafkaClients clients;
  private final List<ScopedLimits> configured;

  /**
   * Nothing is opened yet.
   *
   * @param configured the budgets that a runner writes to an empty ledger
   */
  public LedgerBudgets(KafkaClients clients, List<ScopedLimits> configured) {
    this.clients = clients;
    this.configured = List.copyOf(configured);
  }

  @Override
  public List<BudgetUse> now() {
    LedgerAtEnd ledger = LedgerAtEnd.read(clients, () -> true);
    LedgerState state = ledger.state();
    Instant at = ledger.at();
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
