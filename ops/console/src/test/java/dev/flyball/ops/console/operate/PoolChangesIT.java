package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.testkit.KafkaFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("What operators change where there are several pools")
final class PoolChangesIT {
  private static final String BIG = "big";
  private static final String BROKEN = "broken";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final OperatorActions.By ANN = new OperatorActions.By("ann", "test");

  @RegisterExtension
  static final KafkaFixture KAFKA =
      new KafkaFixture(
          new Topics(
              "pools.", new Pools(Map.of(BIG, Set.of("acme"), BROKEN, Set.of())), Pools.DEFAULT));

  @BeforeAll
  static void openPools() {
    KAFKA.provision();
    append(Pools.DEFAULT, new LedgerEntry.Init(9, 45_000, List.of()));
    append(BIG, new LedgerEntry.Init(9, 45_000, List.of()));
    KAFKA.produce(ledger(BROKEN), "-", new LedgerEntry.Rules(LedgerState.RULES + 1));
  }

  @Test
  void aPauseOfEverythingStopsEveryPool() {
    OperatorActions actions = actionsFor("acme");

    assertThat(actions.change(new ScopeChange.Pause(Scope.GLOBAL, null), ANN, null).everywhere())
        .isTrue();
    assertThat(paused(Pools.DEFAULT)).isTrue();
    assertThat(paused(BIG)).isTrue();

    assertThat(actions.change(new ScopeChange.Resume(Scope.GLOBAL), ANN, BIG).everywhere())
        .isTrue();
    assertThat(paused(Pools.DEFAULT)).isTrue();
    assertThat(paused(BIG)).isFalse();
    actions.change(new ScopeChange.Resume(Scope.GLOBAL), ANN, null);
  }

  @Test
  void aCapIsThatOfOnePoolAndATenantsIsInTheTenantsPool() {
    OperatorActions actions = actionsFor("acme");

    assertThatThrownBy(() -> actions.change(new ScopeChange.Cap(Scope.GLOBAL, 7), ANN, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> actions.change(new ScopeChange.Cap(Scope.GLOBAL, 7), ANN, "none"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> actions.change(new ScopeChange.Cap("tenant:acme", 7), ANN, Pools.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(actions.change(new ScopeChange.Cap("source:acme/a", 2), ANN, null).everywhere())
        .isTrue();

    assertThat(state(BIG).cap("source:acme/a")).contains(2);
    assertThat(state(Pools.DEFAULT).cap("source:acme/a")).isEmpty();
  }

  @Test
  void aTenantIsNotOpenedByAnOperatorsEntry() {
    OperatorActions actions = actionsFor("zeta");

    for (ScopeChange change :
        List.of(
            new ScopeChange.Cap("tenant:zeta", 7),
            new ScopeChange.Resume("tenant:zeta"),
            new ScopeChange.Pause("tenant:zeta", null))) {
      assertThat(actions.change(change, ANN, null).unchanged()).containsOnlyKeys(BIG);
    }
    assertThat(state(BIG).lastOperator("tenant:zeta")).isNegative();
  }

  @Test
  @DisplayName("INV-2: the pause that keeps a moving tenant out is not ended or replaced")
  void anOperatorDoesNotEndThePauseOfAMove() {
    OperatorActions actions = actionsFor("moving");
    append(BIG, pause("moving", -1));

    for (ScopeChange change :
        List.of(
            new ScopeChange.Resume("tenant:moving"),
            new ScopeChange.Pause("tenant:moving", Instant.now().plusSeconds(1)),
            new ScopeChange.Pause("tenant:moving", null))) {
      assertThat(actions.change(change, ANN, null).anywhere()).as("%s", change).isFalse();
    }
    assertThat(actions.change(new ScopeChange.Cap("tenant:moving", 1), ANN, null).everywhere())
        .as("what opens nothing is possible")
        .isTrue();
  }

  @Test
  @DisplayName("INV-2: a tenant with sessions left in another pool is not resumed by an operator")
  void anOperatorsPauseIsNotEndedWhileSessionsAreLeftElsewhere() {
    OperatorActions actions = actionsFor("left");
    append(BIG, pause("left", -1));
    long opened = state(BIG).lastOperator("tenant:left");
    append(BIG, new LedgerEntry.Resume("tenant:left", opened, Pools.KEEPER, "opened"));
    append(Pools.DEFAULT, claim("left/a/1", "left-session"));
    append(Pools.DEFAULT, pause("left", -1));
    assertThat(actions.change(new ScopeChange.Pause("tenant:left", null), ANN, null).everywhere())
        .as("a stop is always possible in an open pool")
        .isTrue();

    var resume = new ScopeChange.Resume("tenant:left");
    var timed = new ScopeChange.Pause("tenant:left", Instant.now().plusSeconds(1));
    assertThat(actions.change(resume, ANN, null).anywhere()).isFalse();
    assertThat(actions.change(timed, ANN, null).anywhere()).isFalse();

    append(
        Pools.DEFAULT,
        new LedgerEntry.Expire(
            "left-session", state(Pools.DEFAULT).lease("left-session").orElseThrow().seen()));
    assertThat(actions.change(resume, ANN, null).anywhere())
        .as("before its request is settled")
        .isFalse();
    append(Pools.DEFAULT, new LedgerEntry.Settled("request-left-session", 1));
    assertThat(actions.change(resume, ANN, null).everywhere()).isTrue();
  }

  @Test
  void aPoolWhoseLedgerFailsDoesNotKeepTheOthersFromBeingPaused() {
    var pause = new ScopeChange.Pause(Scope.GLOBAL, null);
    List<String> pools = List.of(BROKEN, Pools.DEFAULT, BIG);

    var made = PoolChanges.make(KAFKA.clients("test"), PATIENCE, pools, pause, "ann", "test");

    assertThat(made.states()).containsOnlyKeys(Pools.DEFAULT, BIG);
    assertThat(made.failed()).containsOnlyKeys(BROKEN);
    assertThat(made.missing())
        .hasValueSatisfying(line -> assertThat(line).contains("pool broken: "));
    assertThat(paused(Pools.DEFAULT)).isTrue();
    assertThat(paused(BIG)).isTrue();
    var resume = new ScopeChange.Resume(Scope.GLOBAL);
    PoolChanges.make(KAFKA.clients("test"), PATIENCE, pools, resume, "ann", "test");
    assertThatThrownBy(() ->
            PoolChanges.make(
                KAFKA.clients("test"), PATIENCE, List.of(BROKEN), pause, "ann", "test"))
        .isInstanceOf(StartFailure.class);
  }

  /** Actions of an installation whose list has this tenant in the other pool. */
  private static OperatorActions actionsFor(String tenant) {
    var topics = new Topics("pools.", new Pools(Map.of(BIG, Set.of(tenant))), Pools.DEFAULT);
    return new OperatorActions(
        new KafkaSettings(topics, Map.of("bootstrap.servers", KAFKA.bootstrapServers())));
  }

  private static LedgerEntry pause(String tenant, long seen) {
    return new LedgerEntry.Pause(
        Scope.tenant(tenant), null, seen, Pools.KEEPER, "its sessions run in pool big");
  }

  private static LedgerEntry claim(String item, String session) {
    return new LedgerEntry.Claim(
        "request-" + session,
        new Position(0, 0),
        1,
        ItemKey.parse(item),
        1,
        session,
        "runner-" + session,
        null,
        LedgerState.RULES,
        0);
  }

  private static boolean paused(String pool) {
    return state(pool).pauses(Instant.now()).stream()
        .anyMatch(pause -> pause.scope().equals(Scope.GLOBAL));
  }

  private static LedgerState state(String pool) {
    return new OperatorEntries(KAFKA.clients("test").in(pool)).state();
  }

  private static void append(String pool, LedgerEntry entry) {
    KAFKA.produce(ledger(pool), "-", entry);
  }

  private static String ledger(String pool) {
    return KAFKA.topics().in(pool).sessionLedger();
  }
}
