package dev.flyball.triage.classify;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;

/**
 * The budgets by the ledger, read from the newest checkpoint to the end each time. The stream's own
 * fold may be in another process. Before the first runner has written a budget to the ledger, the
 * configured one counts: the first batch may be asked before any runner runs.
 */
public final class LedgerBudgets implements BudgetedClassifier.Budgets {
  private static final Duration LIMIT = Duration.ofSeconds(10);

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
    Instant at = brokerTime();
    LedgerState state = LedgerReader.stateAtEnd(clients);
    var uses = new ArrayList<>(state.budgets(at));
    for (ScopedLimits each : configured) {
      String scope = each.scope();
      if (!state.limitsSet(scope)) {
        long micros = state.spentMicros(scope, at);
        uses.add(
            new BudgetUse(
                scope,
                each.limits(),
                micros,
                state.spentTokens(scope, at),
                state.reservedMicros(scope)));
      }
    }
    return uses;
  }

  @Override
  public boolean reserve(String call, Map<String, Long> micros) {
    micros.forEach((tenant, most) ->
        append(new LedgerEntry.Reserve(tenant, BatchSpend.ref(call, tenant), most)));
    LedgerState state = LedgerReader.stateAtEnd(clients);
    return micros.keySet().stream().allMatch(each -> state.holds(BatchSpend.ref(call, each)));
  }

  /**
   * The broker's time, by an entry that books nothing: a budget's day is one by that clock, and the
   * ledger may have had no entry since yesterday.
   */
  private Instant brokerTime() {
    return append(new LedgerEntry.Spend("default", "clock", 0, 0));
  }

  private Instant append(LedgerEntry entry) {
    try (var producer = clients.producer("budgets", LIMIT)) {
      var sent = producer.send(BatchSpend.record(entry, clients.topics()));
      return Instant.ofEpochMilli(sent.get().timestamp());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while the ledger was written", e);
    } catch (ExecutionException e) {
      throw new KafkaException("the ledger could not be written: " + e.getCause(), e);
    }
  }
}
