package dev.flyball.triage.topology;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Records that were deleted before triage-stream read them, over a broker of its own. */
@Tag("long")
final class ReadGapsIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path data;

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  void areReportedUntilTheNextStart() throws Exception {
    try (TriageApp app = app()) {
      app.start();
      await().untilAsserted(() -> assertThat(app.health()).isEqualTo(Health.healthy()));
    }
    KAFKA.produce(KAFKA.topics().workItems(), "acme/gone/1", DrivenStream.snapshot("x"));
    RecordMetadata last =
        KAFKA.produce(KAFKA.topics().workItems(), "acme/gone/1", DrivenStream.snapshot("y"));
    var partition = new TopicPartition(last.topic(), last.partition());
    try (var admin = KAFKA.clients("test").admin("cut")) {
      admin
          .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(last.offset() + 1)))
          .all()
          .get();
    }

    try (TriageApp app = app()) {
      app.start();
      await()
          .untilAsserted(() ->
              assertThat(app.health())
                  .satisfies(it -> assertThat(it.status()).isEqualTo(Health.Status.DEGRADED))
                  .satisfies(it ->
                      assertThat(it.reasons())
                          .singleElement()
                          .asString()
                          .contains(partition.toString())));
    }
  }

  @Test
  @DisplayName("Requests that their broker lost are written again, above every floor of the ledger")
  void lostRequestsAreWrittenAgain() throws Exception {
    String key = "acme/lost/1";
    String topic = KAFKA.topics().sessionRequests();
    SessionRequest before;
    int partition;
    try (TriageApp app = app()) {
      app.start();
      KAFKA.produce(
          KAFKA.topics().workItems(),
          key,
          DrivenStream.snapshot("the parser fails with an error in Foo.bar()"));
      await().untilAsserted(() -> assertThat(requests(key)).isNotEmpty());
      before = RecordJson.read(requests(key).getLast().value(), SessionRequest.class);
      partition = requests(key).getLast().partition();
    }
    long floor = 20;
    ledger(new LedgerEntry.Init(1, 45_000, List.of()));
    long claimed =
        ledger(
            new LedgerEntry.Claim(
                "other",
                new Position(partition, 5),
                6,
                ItemKey.parse("acme/other/1"),
                1,
                "s",
                "r",
                null,
                LedgerState.RULES,
                0));
    ledger(new LedgerEntry.Expire("s", claimed));
    ledger(new LedgerEntry.Settled("other", floor - 1));
    try (var admin = KAFKA.clients("test").admin("lose")) {
      admin.deleteTopics(List.of(topic)).all().get();
      await().until(() -> !admin.listTopics().names().get().contains(topic));
    }
    KAFKA.provision();

    var telemetry = new Telemetry();
    try (var app = new TriageApp(TriageConfig.defaults(data), KAFKA.settings(), telemetry)) {
      app.start();
      await().untilAsserted(() -> assertThat(requests(key)).isNotEmpty());
      assertThat(requests(key))
          .singleElement()
          .satisfies(it -> assertThat(it.offset()).isGreaterThanOrEqualTo(floor))
          .satisfies(it ->
              assertThat(RecordJson.read(it.value(), SessionRequest.class)).isEqualTo(before));
      await()
          .untilAsserted(() ->
              assertThat(app.health().reasons()).noneMatch(it -> it.contains(topic + " ends")));
    }
  }

  private static long ledger(LedgerEntry entry) {
    return KAFKA.produce(KAFKA.topics().sessionLedger(), "-", entry).offset();
  }

  private static List<ConsumerRecord<String, byte[]>> requests(String key) {
    return KAFKA.records(KAFKA.topics().sessionRequests()).stream()
        .filter(it -> it.key().equals(key))
        .toList();
  }

  private TriageApp app() {
    return new TriageApp(TriageConfig.defaults(data), KAFKA.settings(), new Telemetry());
  }
}
