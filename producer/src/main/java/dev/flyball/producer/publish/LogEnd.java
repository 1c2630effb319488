package dev.flyball.producer.publish;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Where a log ended when it was asked, and whether a reader of committed records reaches that end.
 * A reader that makes no progress is held up by an open transaction, or receives nothing; only the
 * last stable offset tells these two apart. Time counts from the first check: the request for the
 * end is not included. One thread at a time, as its consumer.
 */
final class LogEnd {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Consumer<?, ?> consumer;
  private final Map<TopicPartition, Long> ends;
  private final Patience patience;
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
      Patience patience,
      LongSupplier nanos) {
    this.consumer = consumer;
    this.ends = ends;
    this.patience = patience;
    this.nanos = nanos;
  }

  /**
   * Whether the reader has reached the end; to be called after each of its reads.
   *
   * @throws OpenTransaction if a transaction stays open before the end
   * @throws TimeoutException if nothing comes although no open transaction holds it back
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  boolean reached() {
    Map<TopicPartition, Long> now = positionsBehind();
    if (!now.equals(behind)) {
      behind = now;
      movedAt = nanos.getAsLong();
    }
    Duration still = Duration.ofNanos(nanos.getAsLong() - movedAt);
    if (!behind.isEmpty() && still.compareTo(patience.transaction()) >= 0) {
      refuseOpenTransactions();
      if (still.compareTo(patience.silence()) >= 0) {
        throw new TimeoutException(standing() + ": nothing came for " + still.toMillis() + " ms");
      }
    }
    return behind.isEmpty();
  }

  private Map<TopicPartition, Long> positionsBehind() {
    var positions = new HashMap<TopicPartition, Long>();
    ends.forEach((partition, end) -> {
      long position = consumer.position(partition, LIMIT);
      if (position < end) {
        positions.put(partition, position);
      }
    });
    return positions;
  }

  /**
   * Fails if an open transaction holds the reader up. For a reader of committed records the end is
   * where the first open transaction begins.
   */
  private void refuseOpenTransactions() {
    consumer
        .endOffsets(behind.keySet(), LIMIT)
        .forEach((partition, stable) -> {
          if (behind.getOrDefault(partition, 0L) >= stable) {
            throw new OpenTransaction(partition, stable);
          }
        });
  }

  private String standing() {
    return behind.entrySet().stream()
        .map(at -> at.getKey() + " is read to " + at.getValue() + " of " + ends.get(at.getKey()))
        .collect(Collectors.joining(", "));
  }

  /**
   * How long a reader may make no progress.
   *
   * @param transaction before an open transaction; the caller tries again later
   * @param silence before records that should come
   */
  record Patience(Duration transaction, Duration silence) {
    /** The limits outside tests. */
    static final Patience DEFAULT = new Patience(Duration.ofSeconds(5), Duration.ofSeconds(15));
  }

  /**
   * Committed records could not be read to the end, because a transaction that began before them is
   * still open. The log does not say which producer opened it. It ends by itself, at the latest
   * when the broker aborts it; trying again helps.
   */
  public static final class OpenTransaction extends KafkaException {
    private static final long serialVersionUID = 1L;

    OpenTransaction(TopicPartition partition, long begin) {
      super(
          "a transaction is open in "
              + partition
              + " from offset "
              + begin
              + " on; what was committed behind it cannot be read before it ends, which takes "
              + SnapshotPublisher.TRANSACTION_LIMIT.toSeconds()
              + "s at most; if it stays, `kafka-transactions.sh find-hanging` names it");
    }
  }
}
