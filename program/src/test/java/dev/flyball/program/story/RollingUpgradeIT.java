package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
      #!/bin/sh
      cat > /dev/null
      (sleep 600 &)
      sleep 1.5
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void noSessionIsLostOrDoubled(@TempDir Path folder) throws Exception {
    Workplace place = withItems(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), CAP, Workplace.SCALED);
      cluster.start(2);
      Cluster.awaitLive(sampler, CAP);

      // Every open lease was claimed by rules that do not know these: they have no effect.
      upgradeRules(broker.bootstrapServers());
      for (int runner = 0; runner < 2; runner++) {
        replace(cluster, runner);
      }
      LedgerAudit audit = cluster.awaitSettled(ITEMS, Duration.ofMinutes(4));

      assertThat(sampler.most()).as("INV-1 by /proc").isEqualTo(CAP);
      assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isEqualTo(1);
      assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
      assertThat(audit.count(EventType.SESSION_COMPLETED)).as("each item once").isEqualTo(ITEMS);
      assertThat(audit.count(EventType.SESSION_FAILED) + audit.count(EventType.SESSION_LOST))
          .isZero();
      assertThat(audit.state.rules()).isEqualTo(LedgerState.RULES);
      System.out.printf(
          "rolling upgrade: %d completed, %d interrupted, none lost%n",
          audit.count(EventType.SESSION_COMPLETED), audit.count(EventType.SESSION_INTERRUPTED));

      // Nobody holds a lease now, so they are in force, and code that does not know them says so.
      upgradeRules(broker.bootstrapServers());
      for (Program runner : cluster.runners) {
        await().atMost(Duration.ofSeconds(30)).until(() -> runner.err().contains("upgrade it"));
      }
    }
    assertThat(place.live()).as("INV-5").isEmpty();
  }

  @Test
  void theRulesAreUpgradedOnceEveryRunnerKnowsThem(@TempDir Path folder) {
    Workplace place = withItems(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), CAP, Workplace.SCALED);
      cluster.start(2);
      Cluster.awaitLive(sampler, CAP);
      cluster.with("-Dflyball.ledger.rules=" + (LedgerState.RULES + 1)).restartOthers();
      for (int runner = 0; runner < 2; runner++) {
        assertThat(rules(broker.bootstrapServers())).as("an old runner lives").isEmpty();
        replace(cluster, runner);
      }

      await("the rules of every runner")
          .atMost(Duration.ofMinutes(1))
          .until(() -> rules(broker.bootstrapServers()).contains(LedgerState.RULES + 1));
      await("every item analysed")
          .atMost(Duration.ofMinutes(4))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> completed(broker.bootstrapServers()) == ITEMS);
      assertThat(sampler.most()).as("INV-1 by /proc").isEqualTo(CAP);
      assertThat(cluster.runners).allMatch(Program::alive);
    }
    assertThat(place.live()).as("INV-5").isEmpty();
  }

  private static Workplace withItems(Path folder) {
    var place = Workplace.in(folder, AGENT);
    for (int i = 0; i < ITEMS; i++) {
      place.add(i, 1);
    }
    return place;
  }

  /** Stops a runner and starts it again, as an upgrade does. */
  private static void replace(Cluster cluster, int runner) {
    Program replaced = cluster.runners.get(runner);
    replaced.signal("TERM");
    assertThat(replaced.awaitExit(Duration.ofSeconds(60))).isZero();
    cluster.restart(runner).awaitReady();
  }

  /** The rules that the ledger has had entries of; this test's code cannot fold them. */
  private static List<Integer> rules(String bootstrapServers) {
    return LedgerAudit.readAll(bootstrapServers, Topics.DEFAULT.sessionLedger()).stream()
        .map(record -> RecordJson.read(record.value(), LedgerEntry.class))
        .filter(LedgerEntry.Rules.class::isInstance)
        .map(entry -> ((LedgerEntry.Rules) entry).n())
        .toList();
  }

  private static long completed(String bootstrapServers) {
    return LedgerAudit.readAll(bootstrapServers, Topics.DEFAULT.sessionEvents()).stream()
        .map(record -> EventHeaders.read(record.headers(), record.value()))
        .filter(event -> event.type() == EventType.SESSION_COMPLETED)
        .count();
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
