package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
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
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final PollState STATE =
      new PollState("one", 1, 0, null, Instant.EPOCH, null, null);
  private final AtomicLong now = new AtomicLong();
  private final MockConsumer<String, byte[]> log = new MockConsumer<>("earliest");

  @Test
  @Timeout(30)
  void aReaderGivesUpWhereNothingComesAndReadsOnOnceItDoes() {
    PollStateReader reader = reader(log);
    log.updateEndOffsets(Map.of(PARTITION, 1L));
    log.schedulePollTask(() -> pass(PATIENCE));

    assertThatThrownBy(() -> reader.read("acme/a"))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining(" flyball.poll-state-0 from offset 0 on");

    log.schedulePollTask(this::write);
    assertThat(reader.read("acme/a")).isEqualTo(STATE);
  }

  @Test
  @Timeout(30)
  @DisplayName(
      "a broker that is slow to report the end of a log is not taken for an open transaction")
  void theQuestionForTheEndIsNoStandstill() {
    log.updateEndOffsets(Map.of(PARTITION, 1L));
    log.schedulePollTask(() -> {});
    log.schedulePollTask(this::write);

    assertThat(reader(slow()).readToEnd("acme/a")).isEqualTo(STATE);
  }

  /** A consumer that gives the end only after a reader's time without progress is over. */
  private MockConsumer<String, byte[]> slow() {
    var slow =
        new MockConsumer<String, byte[]>("earliest") {
          @Override
          public Map<TopicPartition, Long> endOffsets(
              Collection<TopicPartition> partitions, Duration timeout) {
            pass(PATIENCE.multipliedBy(2));
            return super.endOffsets(partitions, timeout);
          }
        };
    slow.updateEndOffsets(Map.of(PARTITION, 1L));
    return slow;
  }

  private void write() {
    log.addRecord(new ConsumerRecord<>(PARTITION.topic(), 0, 0, "acme/a", RecordJson.bytes(STATE)));
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  private PollStateReader reader(Consumer<String, byte[]> ends) {
    log.updateBeginningOffsets(Map.of(PARTITION, 0L));
    return new PollStateReader(
        new LogOffsets(ends), log, PARTITION, (record, reason) -> {}, PATIENCE, now::get);
  }
}
