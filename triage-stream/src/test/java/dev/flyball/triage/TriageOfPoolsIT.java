package dev.flyball.triage;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.LedgerAtEnd;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The app on a real broker with the ledgers of two pools. */
final class TriageOfPoolsIT {
  private static final Pools POOLS = new Pools(Map.of("big", Set.of("acme")));
  private static final String ACME = Scope.tenant("acme");

  @RegisterExtension
  static final KafkaFixture KAFKA =
      new KafkaFixture(
          new Topics(
              "pools" + ThreadLocalRandom.current().nextInt(1 << 30) + ".", POOLS, Pools.DEFAULT));

  @TempDir private Path data = Path.of("");

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  @DisplayName("INV-2: a tenant is opened in its pool after its sessions elsewhere; tokens differ")
  void oneAppFoldsBothLedgersAndMovesTheTenantOfTheListedPool() {
    String usual = KAFKA.topics().sessionLedger();
    String big = KAFKA.topics().in("big").sessionLedger();
    KAFKA.produce(usual, "-", new LedgerEntry.Init(3, 45_000, List.of()));
    KAFKA.produce(big, "-", new LedgerEntry.Init(3, 45_000, List.of()));
    long claimed = claim(usual, "acme/a/1");
    try (var app = new TriageApp(TriageConfig.defaults(data), KAFKA.settings(), new Telemetry())) {
      app.start();
      await()
          .until(() ->
              app.health().toString().contains("pool default still has 1 of its sessions open"));
      assertThat(ledger("default").lastPause(ACME)).isPresent();
      assertThat(ledger("big").lastOperator(ACME)).as("not open yet").isNegative();

      KAFKA.produce(usual, "-", new LedgerEntry.Expire("s-acme/a/1", claimed));
      KAFKA.produce(usual, "-", new LedgerEntry.Settled("q-acme/a/1", 9));
      await()
          .until(() -> {
            LedgerState state = ledger("big");
            return state.lastOperator(ACME) >= 0 && state.lastPause(ACME).isEmpty();
          });
      assertThat(ledger("default").lastPause(ACME).orElseThrow().why())
          .isEqualTo("its sessions run in pool big");

      long moved = claim(big, "acme/a/2");
      await().until(() -> tokens().size() == 2);
      assertThat(tokens())
          .containsExactlyInAnyOrder(
              KAFKA.clients("test").topicId(usual) + ":" + claimed,
              KAFKA.clients("test").topicId(big) + ":" + moved);
      await().until(() -> app.health().equals(Health.healthy()));
    }
  }

  private static LedgerState ledger(String pool) {
    return LedgerAtEnd.read(KAFKA.clients("test").in(pool), () -> true).state();
  }

  private static List<String> tokens() {
    return KAFKA.events().stream()
        .filter(event -> event.type() == EventType.SESSION_CLAIMED)
        .map(event -> event.data().text(Field.TOKEN).orElseThrow())
        .toList();
  }

  private static long claim(String ledger, String item) {
    return KAFKA
        .produce(
            ledger,
            item,
            new LedgerEntry.Claim(
                "q-" + item,
                new Position(0, 0),
                1,
                ItemKey.parse(item),
                1,
                "s-" + item,
                "r1",
                null,
                LedgerState.RULES,
                0))
        .offset();
  }
}
