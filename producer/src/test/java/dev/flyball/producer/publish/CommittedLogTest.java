package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("S2-2, S2-4: what keeps a reader of committed records from the log's end")
class CommittedLogTest {
  private static final TopicPartition ONE = new TopicPartition("flyball.poll-state", 0);
  private static final TopicPartition TWO = new TopicPartition("flyball.poll-state", 1);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final PollState STATE =
      new PollState("one", 1, 0, null, Instant.EPOCH, null, null);

  private final AtomicLong now = new AtomicLong();
  private final MockConsumer<String, byte[]> reader = new MockConsumer<>("earliest");

  @Test
  void aReaderAtTheEndWaitsForNothing() {
    CommittedLog.Reading reading = log().to(Map.of(ONE, 3L, TWO, 7L));
    pass(Duration.ofHours(1));

    assertThat(step(reading)).isTrue();
  }

  @Test
  void whatHoldsItUpIsNamedOnceItLastsTooLong() {
    CommittedLog.Reading reading = log().to(Map.of(ONE, 9L, TWO, 7L));
    pass(Duration.ofHours(1));
    assertThat(step(reading)).as("the request for the end does not count").isFalse();

    pass(PATIENCE.minusMillis(1));
    assertThat(step(reading)).isFalse();
    pass(Duration.ofMillis(1));
    assertThatThrownBy(() -> step(reading))
        .isInstanceOf(TimeoutException.class)
        .hasMessageStartingWith(
            "a transaction is open in flyball.poll-state-0 from offset 3 on, or the broker is slow")
        .hasMessageContaining("60s at most");
  }

  @Test
  void aReaderThatMovesIsOnlySlow() {
    CommittedLog.Reading reading = log().to(Map.of(ONE, 1_000L, TWO, 7L));

    for (int i = 3; i < 1_000; i++) {
      reader.seek(ONE, i);
      assertThat(step(reading)).isFalse();
      pass(PATIENCE.minusMillis(1));
    }
  }

  @Test
  @Timeout(30)
  void pollStateIsReadOnOnceItComes() {
    reader.updateBeginningOffsets(Map.of(ONE, 0L));
    var log = new CommittedLog(reader, reader, List.of(ONE), PATIENCE, now::get);
    var states = new PollStateReader(log, (record, reason) -> {});
    reader.updateEndOffsets(Map.of(ONE, 1L));
    reader.schedulePollTask(() -> pass(PATIENCE));
    assertThatThrownBy(() -> states.read("acme/a")).isInstanceOf(TimeoutException.class);

    reader.schedulePollTask(() ->
        reader.addRecord(
            new ConsumerRecord<>(ONE.topic(), 0, 0, "acme/a", RecordJson.bytes(STATE))));
    assertThat(states.read("acme/a")).isEqualTo(STATE);
  }

  private CommittedLog log() {
    reader.updateBeginningOffsets(Map.of(ONE, 0L, TWO, 0L));
    var log = new CommittedLog(reader, reader, List.of(ONE, TWO), PATIENCE, now::get);
    reader.seek(ONE, 3);
    reader.seek(TWO, 7);
    return log;
  }

  private static boolean step(CommittedLog.Reading reading) {
    return reading.step(record -> {});
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
