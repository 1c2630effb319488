package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.DeadLetterPublisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadLetterOutboxTest {
  @TempDir private Path folder;
  private Path file;
  private MockProducer<String, byte[]> producer = producer(true);

  @BeforeEach
  void file() {
    file = folder.resolve("written");
  }

  @Test
  void aRecordThatIsReadAtEveryStartGetsOneLetter() {
    for (int start = 0; start < 3; start++) {
      try (DeadLetterOutbox box = box()) {
        box.post(record(7), "unreadable");
        box.post(record(8 + start), "unreadable");
        int all = 2 + start;
        await().untilAsserted(() -> assertThat(producer.history()).hasSize(all));
        await().untilAsserted(() -> assertThat(Files.readAllLines(file)).hasSize(all));
      }
    }
  }

  @Test
  void aLetterThatWasNotTakenIsWrittenAtTheNextStart() {
    producer = producer(false);
    try (DeadLetterOutbox box = box()) {
      box.post(record(7), "unreadable");
      await().until(() -> producer.errorNext(new TimeoutException("no broker")));
    }
    producer = producer(true);
    try (DeadLetterOutbox box = box()) {
      box.post(record(7), "unreadable");
      await().untilAsserted(() -> assertThat(producer.history()).hasSize(1));
    }
  }

  @Test
  void oneThatNoBrokerAnsweredForIsSentAgain() {
    producer = producer(false);
    try (DeadLetterOutbox box = box()) {
      box.post(record(7), "unreadable");
      await().until(() -> producer.errorNext(new TimeoutException("no broker")));
      await().until(() -> producer.completeNext());

      await().untilAsserted(() -> assertThat(Files.readAllLines(file)).hasSize(1));
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

      await().untilAsserted(() -> assertThat(Files.readAllLines(file)).hasSize(1));
      assertThat(box.lost()).isOne();
    }
  }

  private DeadLetterOutbox box() {
    return new DeadLetterOutbox(
        new DeadLetterPublisher(producer, Topics.DEFAULT, "runner", InstantSource.system()), file);
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
