package dev.flyball.program.story;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.broker.BrokerSecret;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A record that no consumer can read never stops one and is never dropped without a dead letter.
 */
@Tag("long")
final class BadRecordsIT {
  private static final byte[] KEY = "default/items/broken".getBytes(UTF_8);

  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void anUnreadableRecordOnAnyTopicIsADeadLetterAndTheNextItemRuns(@TempDir Path folder) {
    Topics topics = Topics.DEFAULT;
    List<String> read =
        List.of(
            topics.workItems(),
            topics.pollState(),
            topics.triageRequests(),
            topics.triageVerdicts(),
            topics.sessionRequests(),
            topics.sessionLedger(),
            topics.sessionEvents(),
            topics.itemState(),
            topics.analyses());
    var place = Workplace.in(folder, AGENT);
    String kafka = "127.0.0.1:" + FreePort.take();
    place.configure(
        "broker: {listen: \"" + kafka + "\"}\nconsole: {listen: \"127.0.0.1:0\"}",
        3,
        Workplace.SCALED);
    try (var up = Program.start(place.home, "up", "--data", "data")) {
      up.awaitReady();
      Map<String, Long> written = new HashMap<>();
      read.forEach(topic -> written.put(topic, write(place, topic)));

      place.add(1, 1);
      await("the next item runs")
          .atMost(Duration.ofSeconds(60))
          .until(() -> LedgerAudit.readAll(kafka, topics.analyses()).size() == 2);

      await("every broken record is a dead letter")
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(deadLetters(kafka)).containsAllEntriesOf(written));
      assertThat(up.alive()).isTrue();
    }
  }

  /** Writes a record that is no JSON; its offset. */
  private static long write(Workplace place, String topic) {
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>copyOf(
                BrokerSecret.clientProperties(place.home.resolve("data/kafka")).orElseThrow()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      return producer
          .send(new ProducerRecord<>(topic, KEY, "{not json".getBytes(UTF_8)))
          .get()
          .offset();
    } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, Long> deadLetters(String kafka) {
    Map<String, Long> offsets = new HashMap<>();
    for (var record : LedgerAudit.readAll(kafka, Topics.DEFAULT.deadLetters())) {
      DeadLetter letter = RecordJson.read(record.value(), DeadLetter.class);
      assertThat(record.key()).isEqualTo(KEY);
      assertThat(letter.reason()).isNotBlank();
      assertThat(letter.partition()).isNotNegative();
      offsets.put(letter.topic(), letter.offset());
    }
    return offsets;
  }
}
