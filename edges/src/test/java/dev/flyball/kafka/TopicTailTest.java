package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A topic's partitions, read to their present ends and followed from there")
class TopicTailTest {
  private static final String TOPIC = "flyball.dead-letters";
  private static final TopicPartition ONE = new TopicPartition(TOPIC, 0);
  private static final TopicPartition TWO = new TopicPartition(TOPIC, 1);

  private final MockConsumer<String, byte[]> consumer = new MockConsumer<>("earliest");
  private final List<String> read = new ArrayList<>();

  @BeforeEach
  void twoPartitions() {
    var none = new Node[0];
    consumer.updatePartitions(
        TOPIC,
        List.of(
            new PartitionInfo(TOPIC, 0, null, none, none),
            new PartitionInfo(TOPIC, 1, null, none, none)));
    consumer.updateBeginningOffsets(Map.of(ONE, 0L, TWO, 5L));
  }

  @Test
  void everyPartitionIsReadFromItsBeginningToTheEndThatItHas() {
    ends(1, 7);
    var tail = TopicTail.of(consumer, TOPIC);
    add(ONE, 0);
    add(TWO, 5);
    add(TWO, 6);

    assertThat(tail.readToEnd(record -> read.add(record.key()), Duration.ofHours(1))).isTrue();

    assertThat(read).containsExactlyInAnyOrder("0-0", "1-5", "1-6");
    assertThat(tail.positions()).containsOnly(Map.entry(0, 1L), Map.entry(1, 7L));
    assertThat(tail.reached(tail.ends())).isTrue();
    ends(2, 7);
    assertThat(tail.reached(tail.ends())).as("the topic has grown").isFalse();
  }

  @Test
  void aReaderGivesUpAfterASilence() {
    ends(1, 7);
    var tail = TopicTail.of(consumer, TOPIC);
    add(TWO, 5);
    add(TWO, 6);

    assertThat(tail.readToEnd(record -> read.add(record.key()), Duration.ofMillis(1)))
        .as("one partition has no leader")
        .isFalse();
    assertThat(read).containsExactly("1-5", "1-6");
  }

  @Test
  void aTopicThatDoesNotExistHasNothingToRead() {
    var tail = TopicTail.of(consumer, "flyball.other");

    assertThat(tail.readToEnd(record -> read.add(record.key()), Duration.ofHours(1))).isTrue();

    assertThat(tail.partitions()).isEmpty();
    assertThat(read).isEmpty();
  }

  private void ends(long one, long two) {
    consumer.updateEndOffsets(Map.of(ONE, one, TWO, two));
  }

  private void add(TopicPartition at, long offset) {
    String key = at.partition() + "-" + offset;
    consumer.addRecord(
        new ConsumerRecord<>(
            TOPIC, at.partition(), offset, key, key.getBytes(StandardCharsets.UTF_8)));
  }
}
