package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.kafka.TopicTail;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
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
  private static final Duration PATIENCE = Duration.ofMillis(300);
  private static final PollState STATE =
      new PollState("one", 1, 0, null, Instant.EPOCH, null, null, null);

  private final MockConsumer<String, byte[]> reader = new MockConsumer<>("earliest");

  @Test
  void aReaderAtTheEndWaitsForNothing() {
    assertThatCode(() -> log().read(Map.of(ONE, 3L, TWO, 7L), record -> {}))
        .doesNotThrowAnyException();
  }

  @Test
  void whatHoldsItUpIsNamedOnceItLastsTooLong() {
    assertThatThrownBy(() -> log().read(Map.of(ONE, 9L, TWO, 7L), record -> {}))
        .isInstanceOf(TimeoutException.class)
        .hasMessageStartingWith(
            "a transaction is open in flyball.poll-state-0 from offset 3 on, or the broker is slow")
        .hasMessageContaining("60s at most");
  }

  @Test
  @Timeout(30)
  void pollStateIsReadOnOnceItComes() {
    reader.updateBeginningOffsets(Map.of(ONE, 0L));
    var log = new CommittedLog(new TopicTail(reader, List.of(ONE)), reader, PATIENCE);
    var states = new PollStateReader(log, (record, reason) -> {});
    reader.updateEndOffsets(Map.of(ONE, 1L));
    assertThatThrownBy(() -> states.read("acme/a")).isInstanceOf(TimeoutException.class);

    reader.schedulePollTask(() ->
        reader.addRecord(
            new ConsumerRecord<>(ONE.topic(), 0, 0, "acme/a", RecordJson.bytes(STATE))));
    assertThat(states.read("acme/a")).isEqualTo(STATE);
  }

  @Test
  @Timeout(30)
  void aReaderThatWaitsForATransactionHoldsNoOtherReaderUp() throws Exception {
    var all = new MockConsumer<String, byte[]>("earliest");
    all.assign(List.of(ONE));
    all.updateEndOffsets(Map.of(ONE, 1L));
    reader.updateBeginningOffsets(Map.of(ONE, 0L));
    reader.updateEndOffsets(Map.of(ONE, 0L));
    var log = new CommittedLog(new TopicTail(reader, List.of(ONE)), all, Duration.ofHours(1));
    var states = new PollStateReader(log, (record, reason) -> {});
    // The common pool may have one thread only.
    Executor threads = task -> Thread.ofPlatform().daemon().start(task);
    var waits = new CountDownLatch(1);
    reader.schedulePollTask(waits::countDown);
    var waiting = CompletableFuture.supplyAsync(() -> states.readToEnd("acme/a"), threads);
    waits.await();

    assertThat(CompletableFuture.supplyAsync(() -> states.read("acme/b"), threads))
        .succeedsWithin(Duration.ofSeconds(10))
        .isNull();
    reader.schedulePollTask(() ->
        reader.addRecord(
            new ConsumerRecord<>(ONE.topic(), 0, 0, "acme/a", RecordJson.bytes(STATE))));
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(STATE);
  }

  private CommittedLog log() {
    reader.updateBeginningOffsets(Map.of(ONE, 0L, TWO, 0L));
    var log = new CommittedLog(new TopicTail(reader, List.of(ONE, TWO)), reader, PATIENCE);
    reader.seek(ONE, 3);
    reader.seek(TWO, 7);
    return log;
  }
}
