package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.Pools;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What people are shown of a pool's ledger: not what a tenant has in another pool's")
final class PoolLedgerTest {
  private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");
  private static final Pools POOLS = new Pools(Map.of("big", Set.of("acme")));

  @ParameterizedTest
  @CsvSource({
    "global, true, true",
    "provider:anthropic, true, true",
    "tenant:acme, false, true",
    "source:acme/web, false, true",
    "tenant:other, true, false",
    "source:other/web, true, false"
  })
  void aScopeOfATenantCountsInThePoolOfTheTenant(String scope, boolean here, boolean big) {
    assertThat(new PoolLedger(POOLS, Pools.DEFAULT, LedgerState.empty()).counts(scope))
        .isEqualTo(here);
    assertThat(new PoolLedger(POOLS, "big", LedgerState.empty()).counts(scope)).isEqualTo(big);
  }

  @Test
  void capsPausesAndBudgetsOfOtherPoolsTenantsAreLeftOut() {
    LedgerState state =
        LedgerState.empty()
            .fold(new LedgerEntry.Init(3, 45_000, List.of()), 0, NOON)
            .state()
            .fold(new LedgerEntry.Cap("tenant:acme", 1, -1, "ann", "less"), 1, NOON)
            .state()
            .fold(new LedgerEntry.Pause("tenant:acme", null, 1, "ann", "audit"), 2, NOON)
            .state()
            .fold(
                new LedgerEntry.Budget("tenant:acme", new Limits(1L, null), 2, "ann", "less"),
                3,
                NOON)
            .state();

    var here = new PoolLedger(POOLS, Pools.DEFAULT, state);
    var big = new PoolLedger(POOLS, "big", state);

    assertThat(here.capped()).containsExactly("global");
    assertThat(here.pauses(NOON)).isEmpty();
    assertThat(here.budgets(NOON)).isEmpty();
    assertThat(big.capped()).containsExactly("global", "tenant:acme");
    assertThat(big.pauses(NOON))
        .extracting(LedgerEntry.Pause::scope)
        .containsExactly("tenant:acme");
    assertThat(big.budgets(NOON)).extracting(BudgetUse::scope).containsExactly("tenant:acme");
  }
}
