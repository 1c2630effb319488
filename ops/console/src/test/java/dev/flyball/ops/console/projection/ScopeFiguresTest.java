package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class ScopeFiguresTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private LedgerState ledger = LedgerState.empty();
  private long offset;

  @Test
  void scopesOfOneKindAreOneFigure() {
    append(new LedgerEntry.Pause("tenant:a", null, -1, "ann", "audit"));
    append(new LedgerEntry.Pause("tenant:b", null, -1, "ann", "audit"));

    assertThat(Figures.KINDS)
        .extracting(kind -> Figures.pauses(ledger, kind, NOON))
        .containsExactly(0L, 2L, 0L, 0L);
  }

  @Test
  void theFullestBudgetOfAKindCounts() {
    append(new LedgerEntry.Budget("tenant:a", new Limits(10_000_000L, 100L), -1, "ann", "b"));
    append(new LedgerEntry.Budget("tenant:b", new Limits(1_000_000L, null), -1, "ann", "b"));
    append(new LedgerEntry.Spend("a", "batch-1", 1_000_000, 90));
    append(new LedgerEntry.Spend("b", "batch-2", 500_000, 90));

    assertThat(Figures.budgetUsed(ledger, "tenant", NOON)).isEqualTo(0.9);
    assertThat(Figures.budgetUsed(ledger, "source", NOON)).isZero();
  }

  @Test
  void aBudgetThatLeavesLessThanASessionReservesIsSpent() {
    append(new LedgerEntry.Budget("tenant:a", new Limits(1_000_000L, null), -1, "ann", "b"));
    append(new LedgerEntry.Budget("tenant:b", new Limits(1_000_000L, null), -1, "ann", "b"));
    append(new LedgerEntry.Budget("tenant:c", new Limits(0L, null), -1, "ann", "none paid"));
    append(new LedgerEntry.Spend("a", "batch-1", 600_000, 0));
    append(new LedgerEntry.Spend("b", "batch-2", 1_000_000, 0));

    assertThat(spent("tenant", 400_000)).isEqualTo(1);
    assertThat(spent("tenant", 500_000)).isEqualTo(2);
    assertThat(spent("global", 500_000)).isZero();
  }

  private long spent(String kind, long reserve) {
    return Figures.budgetsSpent(ledger, kind, reserve, NOON);
  }

  private void append(LedgerEntry entry) {
    ledger = ledger.fold(entry, offset++, NOON).state();
  }
}
