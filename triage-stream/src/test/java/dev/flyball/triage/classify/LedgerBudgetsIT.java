package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.testkit.KafkaFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class LedgerBudgetsIT {
  @RegisterExtension final KafkaFixture kafka = new KafkaFixture();

  @Test
  void whatTriageSpentIsSeenBeforeTheNextCall() {
    kafka.provision();
    String ledger = kafka.topics().sessionLedger();
    var limits = new LedgerEntry.ScopedLimits(Scope.GLOBAL, new Limits(1_000L, null));
    kafka.produce(ledger, "-", new LedgerEntry.Init(3, 45_000, List.of(limits)));
    var budgets = new LedgerBudgets(kafka.clients("triage"), List.of());
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(false);

    kafka.produce(ledger, "-", new LedgerEntry.Spend("acme", "batch/acme", 1_000, 0));

    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(true);
  }

  @Test
  void theConfiguredBudgetCountsUntilTheLedgerHasOne() {
    kafka.provision();
    String ledger = kafka.topics().sessionLedger();
    var low = new LedgerEntry.ScopedLimits(Scope.GLOBAL, new Limits(1_000L, null));
    var budgets = new LedgerBudgets(kafka.clients("triage"), List.of(low));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(false);

    kafka.produce(ledger, "-", new LedgerEntry.Spend("acme", "batch/acme", 1_000, 0));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(true);

    var high = new LedgerEntry.ScopedLimits(Scope.GLOBAL, new Limits(9_000L, null));
    kafka.produce(ledger, "-", new LedgerEntry.Init(3, 45_000, List.of(high)));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(false);
  }
}
