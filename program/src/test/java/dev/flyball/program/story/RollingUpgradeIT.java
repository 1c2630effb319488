package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-3, INV-6 while the runners are stopped and started again one after another, and
 * somebody upgrades the ledger's rules too early.
 */
@Tag("long")
@Timeout(400)
final class RollingUpgradeIT {
  private static final int ITEMS = 20;
  private static final int CAP = 3;

  private static final String AGENT =
      """
      cat > /dev/null
      (sleep 600 &)
      sleep 1.5
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void theRulesAreUpgradedOnceEveryRunnerKnowsThemAndNoSessionIsLostOrDoubled(@TempDir Path folder)
      throws Exception {
    try (var cluster = Cluster.in(folder, AGENT)) {
      String kafka = cluster.kafka;
      cluster.add(ITEMS);
      cluster.configure(CAP, Workplace.SCALED).start(2).awaitLive(CAP);
      // Every open lease was claimed by rules that do not know these: they have no effect.
      upgradeRules(kafka);
      cluster.with("-Dflyball.ledger.rules=" + (LedgerState.RULES + 1)).restartOthers();
      for (int runner = 0; runner < 2; runner++) {
        assertThat(rules(kafka)).as("an old runner lives").hasSize(1);
        assertThat(cluster.runners.get(runner).err()).doesNotContain("upgrade it");
        stop(cluster.runners.get(runner));
        cluster.restart(runner).awaitReady();
      }
      await("the rules of every runner")
          .atMost(Duration.ofMinutes(1))
          .until(() -> rules(kafka).size() > 1);
      await("every item analysed")
          .atMost(Duration.ofMinutes(4))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> count(LedgerAudit.events(kafka), EventType.SESSION_COMPLETED) >= ITEMS);

      List<LifecycleEvent> events = LedgerAudit.events(kafka);
      System.out.printf(
          "rolling upgrade: %d completed, %d interrupted%n",
          count(events, EventType.SESSION_COMPLETED), count(events, EventType.SESSION_INTERRUPTED));
      assertThat(count(events, EventType.SESSION_COMPLETED)).as("each item once").isEqualTo(ITEMS);
      assertThat(count(events, EventType.SESSION_FAILED) + count(events, EventType.SESSION_LOST))
          .isZero();
      assertThat(cluster.sampler.most()).as("INV-1 by /proc").isEqualTo(CAP);
      Map<String, String> items = itemsOfSessions(events);
      assertThat(cluster.sampler.mostOf(session -> items.getOrDefault(session, session)))
          .as("INV-2 by /proc")
          .isEqualTo(1);
      assertThat(
              events.stream()
                  .filter(each -> each.type().terminal())
                  .map(each -> each.data().text(Field.SESSION).orElseThrow()))
          .as("INV-6")
          .containsExactlyInAnyOrderElementsOf(items.keySet());
      assertThat(cluster.runners).allMatch(Program::alive);

      // They are in force now, and code that does not know them says so.
      stop(cluster.runners.getFirst());
      Program old = cluster.with(Map.of()).restart(0);
      await().atMost(Duration.ofSeconds(30)).until(() -> old.err().contains("upgrade it"));
    }
  }

  private static void stop(Program runner) {
    runner.signal("TERM");
    assertThat(runner.awaitExit(Duration.ofSeconds(60))).isZero();
  }

  /** The rules that the ledger has had entries of; this test's code cannot fold them. */
  private static List<Integer> rules(String bootstrapServers) {
    return LedgerAudit.entries(bootstrapServers).stream()
        .filter(LedgerEntry.Rules.class::isInstance)
        .map(entry -> ((LedgerEntry.Rules) entry).n())
        .toList();
  }

  private static long count(List<LifecycleEvent> events, EventType type) {
    return events.stream().filter(event -> event.type() == type).count();
  }

  private static Map<String, String> itemsOfSessions(List<LifecycleEvent> events) {
    return events.stream()
        .filter(each -> each.type() == EventType.SESSION_CLAIMED)
        .collect(
            Collectors.toMap(
                each -> each.data().text(Field.SESSION).orElseThrow(), LifecycleEvent::subject));
  }

  private static void upgradeRules(String bootstrapServers) throws Exception {
    Map<String, Object> properties = Map.of("bootstrap.servers", bootstrapServers, "acks", "all");
    var bytes = new ByteArraySerializer();
    try (var producer = new KafkaProducer<>(properties, bytes, bytes)) {
      byte[] rules = RecordJson.bytes(new LedgerEntry.Rules(LedgerState.RULES + 1));
      producer.send(new ProducerRecord<>(Topics.DEFAULT.sessionLedger(), 0, null, rules)).get();
    }
  }
}
