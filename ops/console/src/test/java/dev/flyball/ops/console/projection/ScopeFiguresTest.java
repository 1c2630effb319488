package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.ops.console.projection.Figures.ScopeFigures;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class ScopeFiguresTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private LedgerState ledger = LedgerState.empty();
  private long offset;

  @Test
  void nothingConfiguredIsZero() {
    var figures = figures(0);

    for (String kind : ScopeFigures.KINDS) {
      assertThat(figures.pauses(kind)).isZero();
      assertThat(figures.budgetUsed(kind)).isZero();
    }
  }

  @Test
  void scopesOfOneKindAreOneFigure() {
    append(new LedgerEntry.Pause("tenant:a", null, -1, "ann", "audit"));
    append(new LedgerEntry.Pause("tenant:b", null, -1, "ann", "audit"));
    append(new LedgerEntry.Pause("global", null, -1, "ann", "audit"));

    var figures = figures(0);

    assertThat(figures.pauses("tenant")).isEqualTo(2);
    assertThat(figures.pauses("global")).isEqualTo(1);
  }

  @Test
  void theFullestBudgetOfAKindCounts() {
    append(new LedgerEntry.Budget("tenant:a", new Limits(10_000_000L, 100L), -1, "ann", "b"));
    append(new LedgerEntry.Budget("tenant:b", new Limits(1_000_000L, null), -1, "ann", "b"));
    append(new LedgerEntry.Spend("a", "batch-1", 1_000_000, 90));
    append(new LedgerEntry.Spend("b", "batch-2", 500_000, 90));

    assertThat(figures(0).budgetUsed("tenant")).isEqualTo(0.9);
  }

  @Test
  void aBudgetThatLeavesLessThanASessionReservesIsSpent() {
    append(new LedgerEntry.Budget("tenant:a", new Limits(1_000_000L, null), -1, "ann", "b"));
    append(new LedgerEntry.Budget("tenant:b", new Limits(1_000_000L, null), -1, "ann", "b"));
    append(new LedgerEntry.Budget("tenant:c", new Limits(0L, null), -1, "ann", "none paid"));
    append(new LedgerEntry.Spend("a", "batch-1", 600_000, 0));
    append(new LedgerEntry.Spend("b", "batch-2", 1_000_000, 0));

    assertThat(figures(400_000).budgetsSpent("tenant")).isEqualTo(1);
    assertThat(figures(500_000).budgetsSpent("tenant")).isEqualTo(2);
    assertThat(figures(500_000).budgetsSpent("global")).isZero();
  }

  private ScopeFigures figures(long reserve) {
    return ScopeFigures.of(ledger, reserve, NOON);
  }

  private void append(LedgerEntry entry) {
    ledger = ledger.fold(entry, offset++, NOON).state();
  }
}
