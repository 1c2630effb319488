package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A question that cannot be answered must not stop the ones behind it. */
final class ClassifierLoopTest {
  private static final Topics TOPICS = Topics.DEFAULT;
  private static final TopicPartition QUESTIONS = new TopicPartition(TOPICS.triageRequests(), 0);
  private static final Snapshot SNAPSHOT = Sample.snapshot("Title", "text");

  @TempDir private Path folder = Path.of("");
  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private long offset;

  @Test
  void brokenQuestionsAreDeadLettersWithoutVerdictsAndTheNextOneIsAnswered() {
    String good = RecordJson.write(new TriageRequest("t1", SNAPSHOT));
    List<String> values =
        List.of(
            "{nonsense",
            good.replace("\"title\":\"Title\",", ""),
            RecordJson.write(new TriageRequest("x".repeat(900_000), SNAPSHOT)),
            good);
    consumer.schedulePollTask(() -> {
      consumer.rebalance(List.of(QUESTIONS));
      consumer.updateBeginningOffsets(Map.of(QUESTIONS, 0L));
      values.forEach(value -> consumer.addRecord(question("acme/items/1", value)));
      consumer.addRecord(question("y".repeat(900_000), good));
    });
    try (var journal = CallJournal.open(folder.resolve("classifier.db"))) {
      var calls =
          new BatchCalls(new RulesClassifier(), journal, "T", InstantSource.system(), () -> {});
      var settings =
          new ClassifierService.Settings(
              folder, "T", 5, Duration.ofMillis(10), InstantSource.system(), () -> {}, () -> {});
      new ClassifierLoop(consumer, producer, TOPICS, calls, settings)
          .run(() -> answers().isEmpty(), () -> {});
    }
    assertThat(sent(TOPICS.triageVerdicts()).stream().filter(record -> record.value() == null))
        .as("a tombstone for each question that has an item's key")
        .hasSize(3)
        .allSatisfy(tombstone -> assertThat(tombstone.key()).isEqualTo("acme/items/1"));
    assertThat(answers())
        .singleElement()
        .satisfies(verdict ->
            assertThat(RecordJson.read(verdict.value(), Verdict.class).triage()).isEqualTo("t1"));
    assertThat(sent(TOPICS.deadLetters()))
        .hasSize(4)
        .allSatisfy(letter -> {
          assertThat(letter.key()).hasSizeLessThan(5_000);
          assertThat(letter.value()).hasSizeLessThan(500_000);
        });
  }

  private ConsumerRecord<String, byte[]> question(String key, String value) {
    return new ConsumerRecord<>(
        QUESTIONS.topic(), 0, offset++, key, value.getBytes(StandardCharsets.UTF_8));
  }

  private List<ProducerRecord<String, byte[]>> answers() {
    return sent(TOPICS.triageVerdicts()).stream().filter(it -> it.value() != null).toList();
  }

  private List<ProducerRecord<String, byte[]>> sent(String topic) {
    return producer.history().stream().filter(record -> record.topic().equals(topic)).toList();
  }
}
