package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class LedgerHealthTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private LedgerState ledger = LedgerState.empty();
  private long offset;

  @Test
  void aLedgerThatPausesNothingIsHealthy() {
    append(new LedgerEntry.Init(3, 45_000, List.of()));

    assertThat(health(0, NOON)).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("a paused scope makes health degraded with who, until when and why (S0-30)")
  void aPauseIsAReason() {
    append(new LedgerEntry.Pause("tenant:acme", NOON.plusSeconds(60), -1, "ann", "audit"));

    Health health = health(0, NOON);

    assertThat(health.status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(health.ready()).isTrue();
    assertThat(health.reasons())
        .containsExactly("tenant:acme paused by ann until 2026-11-21T12:01:00Z: audit");
    assertThat(
            LedgerHealth.line(
                new LedgerEntry.Pause("tenant:acme", null, -1, "ann", "a\nb\u001b[2J")))
        .isEqualTo("tenant:acme paused by ann: a b [2J");
    assertThat(health(0, NOON.plusSeconds(61))).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("what live runners decline is a reason that names the runner")
  void aRunnersFaultIsAReason() {
    append(new LedgerEntry.Init(3, 45_000, List.of()));
    var gone = new LedgerEntry.Decline(null, "acme/web", "repository", "/mnt/x is no folder");
    append(new LedgerEntry.Runner("r1", 1, "A", 4, null, null, List.of(gone), null));
    append(new LedgerEntry.Runner("r2", 1, "A", 4, null, null, null, null));

    Health health = LedgerHealth.ofRunners(ledger, NOON);

    assertThat(health.status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(health.reasons())
        .containsExactly("runner r1: source acme/web: repository: /mnt/x is no folder");
    assertThat(LedgerHealth.ofRunners(ledger, NOON.plusSeconds(91))).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("a spent budget makes health degraded until the next UTC day (S0-30)")
  void aSpentBudgetIsAReason() {
    append(new LedgerEntry.Budget(Scope.GLOBAL, new Limits(1_000_000L, null), -1, "ann", "less"));
    append(new LedgerEntry.Spend("acme", "batch-1", 1_000_000, 5));

    Health health = health(0, NOON);

    assertThat(health.status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(health.reasons()).singleElement().asString().startsWith("budget of global: ");
    assertThat(health(0, NOON.plusSeconds(86_400))).isEqualTo(Health.healthy());
  }

  @Test
  @DisplayName("a budget that leaves less than a session reserves is spent: claims stop there")
  void theNormalEndOfABudgetIsAReason() {
    append(new LedgerEntry.Budget(Scope.GLOBAL, new Limits(1_000_000L, null), -1, "ann", "less"));
    append(new LedgerEntry.Spend("acme", "batch-1", 600_000, 5));

    assertThat(health(400_000, NOON)).isEqualTo(Health.healthy());
    assertThat(health(400_001, NOON).reasons())
        .containsExactly(
            "budget of global: 0.6 of 1 USD spent today, less is left than the 0.400001 USD of a"
                + " session");
  }

  @Test
  void manyPausesAreCountedAfterTheFirst() {
    for (int i = 0; i < 9; i++) {
      append(new LedgerEntry.Pause("tenant:t" + i, null, -1, "ann", "audit"));
    }

    assertThat(health(0, NOON).reasons()).hasSize(6).last().isEqualTo("4 more pauses");
  }

  private Health health(long reserve, Instant now) {
    return LedgerHealth.of(ledger, reserve, now);
  }

  private void append(LedgerEntry entry) {
    ledger = ledger.fold(entry, offset++, NOON).state();
  }
}
