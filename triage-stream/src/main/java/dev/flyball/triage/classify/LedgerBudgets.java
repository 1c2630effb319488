package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The budgets by the ledger, read from its newest checkpoint to its end each time. The stream's own
 * fold of the ledger may be in another process. Before the first runner has written a budget to the
 * ledger, the configured one counts: the first batch may be asked before any runner runs.
 */
public final class LedgerBudgets implements BudgetedClassifier.Budgets {
  private static final Duration POLL = Duration.ofMillis(500);

  private final KafkaClients clients;
  private final List<ScopedLimits> configured;

  /**
   * Nothing is opened yet.
   *
   * @param configured the budgets that a runner of this configuration writes to an empty ledger
   */
  public LedgerBudgets(KafkaClients clients, List<ScopedLimits> configured) {
    this.clients = clients;
    this.configured = List.copyOf(configured);
  }

  @Override
  public List<BudgetUse> now() {
    try (var reader = LedgerReader.open(clients)) {
      LedgerState state = reader.start();
      // A day is a UTC day by the broker's clock; on a day without entries so far, by this one.
      Instant at = Instant.now();
      while (!reader.caughtUp()) {
        for (LedgerRecord record : reader.poll(POLL)) {
          state = record.after(state);
          at = record.appendTime().isAfter(at) ? record.appendTime() : at;
        }
      }
      return with(configured, state, at);
    }
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
