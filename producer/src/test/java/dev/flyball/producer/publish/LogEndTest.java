package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.producer.publish.LogEnd.OpenTransaction;
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
  private static final LogEnd.Patience PATIENCE =
      new LogEnd.Patience(Duration.ofSeconds(5), Duration.ofSeconds(15));

  private final AtomicLong now = new AtomicLong();
  private final MockConsumer<String, byte[]> reader = new MockConsumer<>("earliest");

  @BeforeEach
  void stands() {
    reader.assign(List.of(ONE, TWO));
    reader.seek(ONE, 3);
    reader.seek(TWO, 7);
  }

  @Test
  void whoIsThereWaitsForNothing() {
    LogEnd end = end(3, 7);
    pass(Duration.ofHours(1));

    assertThat(end.reached()).isTrue();
  }

  @Test
  @DisplayName("an open transaction is named where it begins, once it stayed open for a while")
  void anOpenTransactionIsNamedWhereItBegins() {
    stable(3, 7);
    LogEnd end = end(9, 7);
    assertThat(end.reached()).isFalse();

    pass(PATIENCE.transaction().minusMillis(1));
    assertThat(end.reached()).isFalse();
    pass(Duration.ofMillis(1));
    assertThatThrownBy(end::reached)
        .isInstanceOf(OpenTransaction.class)
        .hasMessageStartingWith(
            "a transaction is open in flyball.work-items-0 from offset 3 on; what was committed")
        .hasMessageContaining("60s at most");
  }

  @Test
  @DisplayName("where no transaction is open, records that do not come are no open transaction")
  void nothingThatComesIsNoOpenTransaction() {
    stable(9, 7);
    LogEnd end = end(9, 7);
    assertThat(end.reached()).isFalse();

    pass(PATIENCE.silence().minusMillis(1));
    assertThat(end.reached()).isFalse();
    pass(Duration.ofMillis(1));
    assertThatThrownBy(end::reached)
        .isInstanceOf(TimeoutException.class)
        .hasMessage("flyball.work-items-0 is read to 3 of 9: nothing came for 15000 ms");
  }

  @Test
  void aTransactionThatEndsJustThenIsReadOn() {
    stable(3, 7);
    LogEnd end = end(9, 7);
    assertThat(end.reached()).isFalse();
    pass(PATIENCE.transaction());
    stable(9, 7);

    assertThat(end.reached()).isFalse();
    reader.seek(ONE, 9);
    assertThat(end.reached()).isTrue();
  }

  @Test
  void whoMovesIsOnlySlow() {
    stable(3, 7);
    LogEnd end = end(1_000, 7);

    for (int i = 3; i < 1_000; i++) {
      reader.seek(ONE, i);
      assertThat(end.reached()).isFalse();
      pass(PATIENCE.transaction().minusMillis(1));
    }
  }

  private LogEnd end(long one, long two) {
    return new LogEnd(reader, Map.of(ONE, one, TWO, two), PATIENCE, now::get);
  }

  /** Sets the end that a reader of committed records sees. */
  private void stable(long one, long two) {
    reader.updateEndOffsets(Map.of(ONE, one, TWO, two));
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }
}
