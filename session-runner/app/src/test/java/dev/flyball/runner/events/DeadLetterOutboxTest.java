package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.DeadLetterPublisher;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class DeadLetterOutboxTest {
  private MockProducer<String, byte[]> producer = producer(true);

  @Test
  void oneThatNoBrokerAnsweredForIsSentAgain() {
    producer = producer(false);
    try (DeadLetterOutbox box = box()) {
      box.post(record(7), "unreadable");
      await().until(() -> producer.errorNext(new TimeoutException("no broker")));
      await().until(() -> producer.completeNext());

      await().untilAsserted(() -> assertThat(producer.history()).hasSizeGreaterThan(1));
      assertThat(box.lost()).isZero();
    }
  }

  @Test
  void oneThatTheBrokerRefusesIsCountedAndHoldsNoOtherUp() {
    producer = producer(false);
    try (DeadLetterOutbox box = box()) {
      box.post(record(7), "unreadable");
      box.post(record(8), "unreadable");
      await().until(() -> producer.errorNext(new RecordTooLargeException("too large")));
      await().until(() -> producer.completeNext());

      await().untilAsserted(() -> assertThat(producer.history()).hasSizeGreaterThan(1));
      assertThat(box.lost()).isOne();
    }
  }

  private DeadLetterOutbox box() {
    return new DeadLetterOutbox(
        new DeadLetterPublisher(producer, Topics.DEFAULT, "runner", InstantSource.system()));
  }

  private static MockProducer<String, byte[]> producer(boolean acknowledges) {
    return new MockProducer<>(
        acknowledges,
        new RoundRobinPartitioner(),
        new StringSerializer(),
        new ByteArraySerializer());
  }

  private static ConsumerRecord<String, byte[]> record(long offset) {
    return new ConsumerRecord<>("session-requests", 0, offset, "acme/web/1", new byte[] {'{'});
  }
}
