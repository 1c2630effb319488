package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-4: what keeps a reader of committed records from the log's end")
class LogEndTest {
  private static final TopicPartition ONE = new TopicPartition("flyball.work-items", 0);
  private static final TopicPartition TWO = new TopicPartition("flyball.work-items", 1);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final AtomicLong now = new AtomicLong();
  private final MockConsumer<String, byte[]> reader = new MockConsumer<>("earliest");

  @BeforeEach
  void stands() {
    reader.assign(List.of(ONE, TWO));
    reader.seek(ONE, 3);
    reader.seek(TWO, 7);
  }

  @Test
  void aReaderAtTheEndWaitsForNothing() {
    LogEnd end = end(3, 7);
    pass(Duration.ofHours(1));

    assertThat(end.reached()).isTrue();
  }

  @Test
  void whatHoldsItUpIsNamedOnceItLastsTooLong() {
    LogEnd end = end(9, 7);
    assertThat(end.reached()).isFalse();

    pass(PATIENCE.minusMillis(1));
    assertThat(end.reached()).isFalse();
    pass(Duration.ofMillis(1));
    assertThatThrownBy(end::reached)
        .isInstanceOf(TimeoutException.class)
        .hasMessageStartingWith(
            "a transaction is open in flyball.work-items-0 from offset 3 on, or the broker is slow")
        .hasMessageContaining("60s at most");
  }

  @Test
  void aReaderThatMovesIsOnlySlow() {
    LogEnd end = end(1_000, 7);

    for (int i = 3; i < 1_000; i++) {
      reader.seek(ONE, i);
      assertThat(end.reached()).isFalse();
      pass(PATIENCE.minusMillis(1));
    }
  }

  private LogEnd end(long one, long two) {
    return new LogEnd(reader, Map.of(ONE, one, TWO, two), PATIENCE, now::get);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
