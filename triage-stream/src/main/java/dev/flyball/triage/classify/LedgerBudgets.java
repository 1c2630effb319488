package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The budgets by the ledger, read from its newest checkpoint to its end each time. The stream's own
 * fold of the ledger may be in another process.
 */
public final class LedgerBudgets implements BudgetedClassifier.Budgets {
  private static final Duration POLL = Duration.ofMillis(500);

  private final KafkaClients clients;

  /** Nothing is opened yet. */
  public LedgerBudgets(KafkaClients clients) {
    this.clients = clients;
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
      return state.budgets(at);
    }
  }
}
