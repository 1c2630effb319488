package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.program.run.RunWatcher.TriageBacklog;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What triage-stream has not processed yet, by the offsets that it commits. */
@Timeout(60)
final class TriageBacklogIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  private static final String KEY = "default/items/1";

  @Test
  void aRecordIsInItUntilItsOffsetIsCommittedAlsoOneOfAnEarlierRun() throws Exception {
    RecordMetadata earlier = KAFKA.produce(KAFKA.topics().workItems(), KEY, Sample.snapshot());
    try (var backlog = new TriageBacklog(KAFKA.clients("test"))) {
      KafkaFixture.await()
          .untilAsserted(() -> {
            backlog.read();
            assertThat(backlog.items()).containsExactly(KEY);
          });

      commit(earlier);
      backlog.drop(backlog.processed());
      assertThat(backlog.items()).isEmpty();
      KafkaFixture.await()
          .untilAsserted(() -> {
            backlog.read();
            assertThat(backlog.empty()).isTrue();
          });

      RecordMetadata entry =
          KAFKA.produce(
              KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
      assertThat(backlog.empty()).as("written, not read yet").isFalse();
      KafkaFixture.await()
          .untilAsserted(() -> {
            backlog.read();
            backlog.drop(backlog.processed());
            assertThat(backlog.items()).as("an entry of the ledger is no item").isEmpty();
            assertThat(backlog.empty()).as("read, not processed yet").isFalse();
          });

      commit(entry);
      backlog.drop(backlog.processed());
      assertThat(backlog.empty()).isTrue();

      try (var poller = KAFKA.clients("test").producer("poll", Map.of("transactional.id", KEY))) {
        poller.initTransactions();
        poller.beginTransaction();
        var snapshot = RecordJson.bytes(Sample.snapshot());
        poller.send(new ProducerRecord<>(KAFKA.topics().workItems(), KEY, snapshot)).get();
        backlog.read();
        assertThat(backlog.empty()).as("written, not visible yet").isFalse();
        poller.abortTransaction();
      }
    }

    try (var next = new TriageBacklog(KAFKA.clients("test"))) {
      KafkaFixture.await()
          .untilAsserted(() -> {
            next.read();
            assertThat(next.empty()).as("it continues where triage-stream does").isTrue();
          });
    }
  }

  private static void commit(RecordMetadata record) throws Exception {
    try (Admin admin = KAFKA.clients("test").admin("commit")) {
      admin
          .alterConsumerGroupOffsets(
              KAFKA.topics().applicationId(),
              Map.of(
                  new TopicPartition(record.topic(), record.partition()),
                  new OffsetAndMetadata(record.offset() + 1)))
          .all()
          .get();
    }
  }
}
