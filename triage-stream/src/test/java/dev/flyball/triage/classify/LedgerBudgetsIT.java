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
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @Test
  void whatTriageSpentIsSeenBeforeTheNextCall() {
    KAFKA.provision();
    String ledger = KAFKA.topics().sessionLedger();
    var limits = new LedgerEntry.ScopedLimits(Scope.GLOBAL, new Limits(1_000L, null));
    KAFKA.produce(ledger, "-", new LedgerEntry.Init(3, 45_000, List.of(limits)));
    var budgets = new LedgerBudgets(KAFKA.clients("triage"));
    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(false);

    KAFKA.produce(ledger, "-", new LedgerEntry.Spend("acme", "batch/acme", 1_000, 0));

    assertThat(budgets.now()).extracting(BudgetUse::exhausted).containsExactly(true);
  }
}
