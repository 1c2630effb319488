package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("S2-2: poll-state whose end does not come")
class PollStateReaderTest {
  private static final TopicPartition PARTITION = new TopicPartition("flyball.poll-state", 0);
  private static final Duration STEP = Duration.ofMillis(20);
  private final MockConsumer<String, byte[]> log = new MockConsumer<>("earliest");
  private final PollStateReader reader = reader();

  @Test
  @Timeout(30)
  void aReaderGivesUpWhereNothingComesAndReadsOnOnceItDoes() {
    log.updateEndOffsets(Map.of(PARTITION, 1L));

    assertThatThrownBy(() -> reader.read("acme/a"))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining("flyball.poll-state-0 is not read to 1");

    var state = new PollState("one", 1, 0, null, Instant.EPOCH, null);
    log.addRecord(new ConsumerRecord<>(PARTITION.topic(), 0, 0, "acme/a", RecordJson.bytes(state)));
    assertThat(reader.read("acme/a")).isEqualTo(state);
  }

  private PollStateReader reader() {
    log.updateBeginningOffsets(Map.of(PARTITION, 0L));
    return new PollStateReader(
        new LogOffsets(log), log, PARTITION, (record, reason) -> {}, STEP, STEP);
  }
}
