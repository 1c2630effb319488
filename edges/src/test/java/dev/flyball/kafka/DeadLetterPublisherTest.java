package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Every unreadable record carries reason, topic, partition and offset. */
class DeadLetterPublisherTest {
  private static final Instant NOW = Instant.parse("2026-02-10T08:00:00Z");

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final DeadLetterPublisher letters =
      new DeadLetterPublisher(producer, Topics.DEFAULT, "triage", InstantSource.fixed(NOW));

  @Test
  void keepsKeyPlaceReasonAndValue() {
    byte[] value = "{broken".getBytes(StandardCharsets.UTF_8);
    var _ =
        letters.publish(
            new ConsumerRecord<>("flyball.work-items", 3, 17, "acme/a/1", value), "no JSON");

    ProducerRecord<String, byte[]> sent = producer.history().getFirst();
    assertThat(sent.topic()).isEqualTo("flyball.dead-letters");
    assertThat(sent.key()).isEqualTo("acme/a/1");
    assertThat(EventHeaders.text(sent.headers(), "schema")).isEqualTo("dead-letter/1");
    assertThat(RecordJson.read(sent.value(), DeadLetter.class))
        .isEqualTo(
            new DeadLetter("no JSON", "flyball.work-items", 3, 17, "{broken", "triage", NOW));
  }

  @Test
  void cutsAHugeValueAndKeepsATombstoneNull() {
    byte[] huge = "x".repeat(DeadLetter.MAX_VALUE + 1).getBytes(StandardCharsets.UTF_8);
    assertThat(DeadLetterPublisher.letter("r", "t", 0, 1, huge, "by", NOW).value())
        .hasSize(DeadLetter.MAX_VALUE);
    assertThat(DeadLetterPublisher.letter("r", "t", 0, 1, null, "by", NOW).value()).isNull();
  }
}
