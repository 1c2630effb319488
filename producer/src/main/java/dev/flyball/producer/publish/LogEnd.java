package dev.flyball.producer.publish;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Where a log ended when it was asked, and whether a reader of committed records reaches that end.
 * Records may be committed behind a transaction that is still open: the reader sees them once that
 * one ends. Time counts from the first check: the request for the end is not included. One thread
 * at a time, as its consumer.
 */
final class LogEnd {
  /** How long a reader may make no progress, unless in tests; the caller tries again later. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Consumer<?, ?> consumer;
  private final Map<TopicPartition, Long> ends;
  private final Duration patience;
  private final LongSupplier nanos;

  /** The positions at the last check, without partitions read to their end. */
  private Map<TopicPartition, Long> behind = Map.of();

  /** When the positions last changed. */
  private long movedAt;

  /**
   * Sends no request yet.
   *
   * @param consumer reads committed records only, and is assigned to all these partitions
   * @param ends where each partition is to be read to
   * @param nanos a monotonic clock
   */
  LogEnd(
      Consumer<?, ?> consumer,
      Map<TopicPartition, Long> ends,
      Duration patience,
      LongSupplier nanos) {
    this.consumer = consumer;
    this.ends = ends;
    this.patience = patience;
    this.nanos = nanos;
  }

  /**
   * Whether the reader has reached the end; to be called after each of its reads.
   *
   * @throws TimeoutException if nothing comes for too long
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  boolean reached() {
    var now = new HashMap<TopicPartition, Long>();
    ends.forEach((partition, end) -> {
      long position = consumer.position(partition, LIMIT);
      if (position < end) {
        now.put(partition, position);
      }
    });
    if (!now.equals(behind)) {
      behind = now;
      movedAt = nanos.getAsLong();
    }
    if (!behind.isEmpty() && nanos.getAsLong() - movedAt >= patience.toNanos()) {
      var first = behind.entrySet().iterator().next();
      throw new TimeoutException(
          "a transaction is open in "
              + first.getKey()
              + " from offset "
              + first.getValue()
              + " on, or the broker is slow; what was committed behind it cannot be read before it"
              + " ends, which takes "
              + SnapshotPublisher.TRANSACTION_LIMIT.toSeconds()
              + "s at most; if it stays, `kafka-transactions.sh find-hanging` names it");
    }
    return behind.isEmpty();
  }
}
