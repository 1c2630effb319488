package dev.flyball.contract.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PoolsTest {
  private static final Pools POOLS = new Pools(Map.of("big", Set.of("acme", "zeta")));

  @Test
  void aTenantIsInThePoolThatListsItAndElseInTheDefaultOne() {
    assertThat(POOLS.of("acme")).isEqualTo("big");
    assertThat(POOLS.of("other")).isEqualTo("default");
  }

  @Test
  void aTenantOfTwoPoolsIsRejected() {
    assertThatThrownBy(() -> new Pools(Map.of("a", Set.of("acme"), "b", Set.of("acme"))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theDefaultPoolCannotBeListed() {
    assertThatThrownBy(() -> new Pools(Map.of("default", Set.of("acme"))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void eachPoolHasALedgerAndTheDefaultOneKeepsItsName() {
    var topics = new Topics("flyball.", POOLS, Pools.DEFAULT);

    assertThat(topics.ledgers())
        .containsExactly(
            Map.entry("default", "flyball.session-ledger"),
            Map.entry("big", "flyball.session-ledger-big"));
    assertThat(topics.in("big").sessionLedger()).isEqualTo("flyball.session-ledger-big");
    assertThat(topics.specs())
        .filteredOn(spec -> spec.schema().equals("ledger-entry/1"))
        .extracting(TopicSpec::name)
        .containsExactly("flyball.session-ledger", "flyball.session-ledger-big");
  }

  @Test
  void aPoolThatIsNotListedIsRejected() {
    assertThatThrownBy(() -> new Topics("flyball.", POOLS, "small"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
