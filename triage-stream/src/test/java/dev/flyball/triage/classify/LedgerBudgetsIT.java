package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.testkit.KafkaFixture;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class LedgerBudgetsIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @Test
  void whatTriageSpentOrReservedIsSeenBeforeTheNextCall() {
    KAFKA.provision();
    var budgets =
        new BudgetedClassifier.LedgerBudgets(KAFKA.clients("triage"), List.of(daily(1_000)));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(false);

    produce(new LedgerEntry.Spend("acme", "batch1/acme", 1_000, 0));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(true);

    produce(new LedgerEntry.Init(3, 45_000, List.of(daily(2_000))));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(false);

    assertThat(budgets.reserve("batch2", Map.of("acme", 300L, "zeta", 300L))).isTrue();
    assertThat(budgets.now()).extracting(BudgetUse::reservedMicros).containsExactly(600L);
    assertThat(budgets.reserve("batch3", Map.of("acme", 401L))).isFalse();

    budgets.book("batch2", Map.of("acme", 10L, "zeta", 10L), Map.of("acme", 7L, "zeta", 0L));
    assertThat(budgets.now())
        .extracting(BudgetUse::spentTokens, BudgetUse::reservedMicros)
        .containsExactly(tuple(7L, 0L));
  }

  private static ScopedLimits daily(long micros) {
    return new ScopedLimits(Scope.GLOBAL, new Limits(micros, null));
  }

  private static void produce(LedgerEntry entry) {
    KAFKA.produce(KAFKA.topics().sessionLedger(), "-", entry);
  }
}
