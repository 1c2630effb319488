package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.output.LeaseWatch;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
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

  @TempDir Path folder;

  @BeforeAll
  static void oneSessionInEachPool() {
    KAFKA.provision();
    append(Pools.DEFAULT, new LedgerEntry.Init(1, 45_000, List.of()));
    append(BIG, new LedgerEntry.Init(4, 45_000, List.of()));
    append(Pools.DEFAULT, pause("acme", -1));
    append(Pools.DEFAULT, claim("other/a/1", "small-session"));
    append(BIG, pause("acme", -1));
    append(BIG, new LedgerEntry.Resume(Scope.tenant("acme"), 1, "triage-stream", "opened"));
    append(BIG, claim("acme/a/1", "big-session"));
    // What acme had in the pool that it left, and a runner of one name in each pool.
    append(Pools.DEFAULT, new LedgerEntry.Pause("source:acme/a", null, -1, "ann", "before"));
    for (String pool : List.of(Pools.DEFAULT, BIG)) {
      append(pool, new LedgerEntry.Pause("provider:x", null, -1, "ann", "in " + pool));
      append(pool, runner("vm-1"));
    }
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
        assertThat(view.summary().pauses())
            .containsExactly(
                "provider:x in pool big paused by ann: in big",
                "provider:x paused by ann: in default");
        assertThat(view.summary().runners()).hasSize(2);
        assertThat(view.caps())
            .extracting(cap -> cap.scope() + "=" + cap.cap())
            .contains("global=1", "global in pool big=4");
      }
      assertThat(projector.health().reasons())
          .containsExactly(
              "provider:x paused by ann: in default", "pool big: provider:x paused by ann: in big");
    }
  }

  @Test
  void aReaderOfOneTenantSeesItsPoolAlone() {
    try (var projector =
        Projector.open(folder, 200, 1000, KAFKA.settings(), new Telemetry(), 0, line -> {})) {
      projector.start();
      assertThat(projector.catchUp(PATIENCE)).isTrue();

      try (var view = ConsoleView.open(folder, TenantScope.of("acme")).orElseThrow()) {
        assertThat(view.summary().cap()).isEqualTo(4);
        assertThat(view.summary().runners()).hasSize(1);
        assertThat(view.summary().pauses())
            .containsExactly("provider:x in pool big paused by ann: in big");
        assertThat(view.caps())
            .extracting(cap -> cap.scope() + "=" + cap.cap())
            .containsExactly("global in pool big=4");
      }
    }
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

  private static LedgerEntry runner(String id) {
    return new LedgerEntry.Runner(id, LedgerState.RULES, "A", 4, null, null);
  }

  private static void append(String pool, LedgerEntry entry) {
    KAFKA.produce(ledger(pool), "-", entry);
  }

  private static String ledger(String pool) {
    return KAFKA.topics().in(pool).sessionLedger();
  }
}
