package dev.flyball.triage.topology;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.classify.ClassifierService;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
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
  void areFoundWhileATransactionOfAKilledProcessIsOpen() {
    String group = ClassifierService.group(KAFKA.topics());
    var question = new TopicPartition(KAFKA.topics().triageRequests(), 0);
    KafkaClients clients = KAFKA.clients("test");
    try (Producer<String, byte[]> killed =
            clients.producer("killed", Map.of("transactional.id", group));
        Consumer<String, byte[]> member = clients.consumer("killed", Map.of("group.id", group))) {
      killed.initTransactions();
      killed.beginTransaction();
      killed.sendOffsetsToTransaction(
          Map.of(question, new OffsetAndMetadata(0)), member.groupMetadata());

      try (TriageApp app = app()) {
        app.start();
        await().untilAsserted(() -> assertThat(app.health().ready()).isTrue());
      }
    }
  }

  private TriageApp app() {
    return new TriageApp(TriageConfig.defaults(data), KAFKA.settings(), new Telemetry());
  }
}
