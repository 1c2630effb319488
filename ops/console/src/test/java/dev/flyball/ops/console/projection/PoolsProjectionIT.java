package dev.flyball.ops.console.projection;

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
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.operate.OperatorActions;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.console.output.LeaseWatch;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The console over two pools")
final class PoolsProjectionIT {
  private static final String BIG = "big";

  @RegisterExtension
  static final KafkaFixture KAFKA =
      new KafkaFixture(new Topics("pools.", new Pools(Map.of(BIG, Set.of("acme"))), Pools.DEFAULT));

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final OperatorActions.By ANN = new OperatorActions.By("ann", "test");

  @TempDir Path folder;

  @BeforeAll
  static void oneSessionInEachPool() {
    KAFKA.provision();
    append(Pools.DEFAULT, new LedgerEntry.Init(1, 45_000, List.of()));
    append(BIG, new LedgerEntry.Init(4, 45_000, List.of()));
    append(Pools.DEFAULT, pause(-1));
    append(Pools.DEFAULT, claim("other/a/1", "small-session"));
    append(BIG, pause(-1));
    append(BIG, new LedgerEntry.Resume(Scope.tenant("acme"), 1, "triage-stream", "opened"));
    append(BIG, claim("acme/a/1", "big-session"));
  }

  @Test
  void figuresAreThoseOfAllPoolsAndWhatKeepsTenantsOutIsNoPause() {
    var telemetry = new Telemetry();
    try (var projector =
        Projector.open(folder, 200, 1000, KAFKA.settings(), telemetry, 0, line -> {})) {
      projector.start();
      assertThat(projector.catchUp(PATIENCE)).isTrue();

      try (var view = ConsoleView.open(folder).orElseThrow()) {
        assertThat(view.summary().cap()).isEqualTo(5);
        assertThat(view.summary().live()).isEqualTo(2);
        assertThat(view.summary().pauses()).isEmpty();
        assertThat(view.caps())
            .extracting(cap -> cap.scope() + "=" + cap.cap())
            .contains("global=1", "global in pool big=4");
      }
      assertThat(projector.health()).isEqualTo(Health.healthy());
    }
  }

  @Test
  void aPauseOfEverythingStopsEveryPool() {
    var actions = new OperatorActions(KAFKA.settings());

    assertThat(actions.change(new ScopeChange.Pause(Scope.GLOBAL, null), ANN, null)).isTrue();
    assertThat(paused(Pools.DEFAULT)).isTrue();
    assertThat(paused(BIG)).isTrue();

    assertThat(actions.change(new ScopeChange.Resume(Scope.GLOBAL), ANN, BIG)).isTrue();
    assertThat(paused(Pools.DEFAULT)).isTrue();
    assertThat(paused(BIG)).isFalse();
    actions.change(new ScopeChange.Resume(Scope.GLOBAL), ANN, null);
  }

  @Test
  void aCapIsThatOfOnePoolAndATenantsIsInTheTenantsPool() {
    var actions = new OperatorActions(KAFKA.settings());

    assertThatThrownBy(() -> actions.change(new ScopeChange.Cap(Scope.GLOBAL, 7), ANN, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> actions.change(new ScopeChange.Cap(Scope.GLOBAL, 7), ANN, "none"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> actions.change(new ScopeChange.Cap("tenant:acme", 7), ANN, Pools.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(actions.change(new ScopeChange.Cap("source:acme/a", 2), ANN, null)).isTrue();

    assertThat(state(BIG).cap("source:acme/a")).contains(2);
    assertThat(state(Pools.DEFAULT).cap("source:acme/a")).isEmpty();
  }

  @Test
  void aTenantIsNotOpenedByAnOperatorsEntry() {
    var zeta = new Topics("pools.", new Pools(Map.of(BIG, Set.of("zeta"))), Pools.DEFAULT);
    var settings = new KafkaSettings(zeta, Map.of("bootstrap.servers", KAFKA.bootstrapServers()));
    var actions = new OperatorActions(settings);

    assertThatThrownBy(() -> actions.change(new ScopeChange.Cap("tenant:zeta", 7), ANN, null))
        .isInstanceOf(StartFailure.class);
    assertThat(state(BIG).lastOperator("tenant:zeta")).isNegative();
  }

  @Test
  void aSessionIsFoundInWhicheverPoolItRuns() {
    try (var big = LeaseWatch.open(KAFKA.clients("test"), "big-session");
        var small = LeaseWatch.open(KAFKA.clients("test"), "small-session");
        var none = LeaseWatch.open(KAFKA.clients("test"), "no-session")) {
      assertThat(big.live()).isTrue();
      assertThat(small.live()).isTrue();
      assertThat(none.live()).isFalse();
    }
  }

  private static LedgerEntry pause(long seen) {
    return new LedgerEntry.Pause(
        Scope.tenant("acme"), null, seen, "triage-stream", "its sessions run in pool big");
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
