package dev.flyball.producer.publish;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Committed records of some partitions, read to the end that the log has when it is asked. They may
 * lie behind a transaction that is still open, whose end the reader then waits for: a reader of
 * committed records sees no end but the one before it. One thread at a time. Every method throws
 * {@link org.apache.kafka.common.KafkaException} if the broker does not answer in time.
 *
 * @param tail the committed records
 * @param all sees open transactions too
 * @param patience how long nothing may come
 */
record CommittedLog(TopicTail tail, Consumer<String, byte[]> all, Duration patience)
    implements AutoCloseable {
  /** The caller tries again later. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int LIMIT_MILLIS = 15_000;

  static CommittedLog of(KafkaClients clients, String topic) {
    Consumer<String, byte[]> committed = consumer(clients, "committed", "read_committed");
    try {
      return of(clients, TopicTail.of(committed, topic), PATIENCE);
    } catch (RuntimeException e) {
      committed.close();
      throw e;
    }
  }

  /** One partition, from its beginning on; sends no request. */
  static CommittedLog of(KafkaClients clients, TopicPartition partition, Duration patience) {
    Consumer<String, byte[]> committed = consumer(clients, "committed", "read_committed");
    return of(clients, new TopicTail(committed, List.of(partition)), patience);
  }

  private static CommittedLog of(KafkaClients clients, TopicTail tail, Duration patience) {
    return new CommittedLog(tail, consumer(clients, "log-offsets", "read_uncommitted"), patience);
  }

  private static Consumer<String, byte[]> consumer(
      KafkaClients clients, String name, String isolation) {
    return clients.consumer(
        name, Map.of("isolation.level", isolation, "default.api.timeout.ms", LIMIT_MILLIS));
  }

  /** The ends of the log now, also behind open transactions. */
  Map<TopicPartition, Long> ends() {
    return all.endOffsets(tail.partitions());
  }

  Map<TopicPartition, Long> visibleEnds() {
    return tail.ends();
  }

  /**
   * Goes to the first record of this time or later in each partition, also if that is behind an
   * open transaction; to the partition's end where there is none.
   */
  void seek(Instant time, Map<TopicPartition, Long> ends) {
    long millis = Math.max(0, time.toEpochMilli());
    var times = ends.keySet().stream().collect(Collectors.toMap(it -> it, _ -> millis));
    Map<TopicPartition, OffsetAndTimestamp> found = all.offsetsForTimes(times);
    ends.forEach((partition, end) -> {
      OffsetAndTimestamp first = found.get(partition);
      tail.consumer().seek(partition, first == null ? end : first.offset());
    });
  }

  /**
   * Reads up to these ends.
   *
   * @throws TimeoutException if nothing comes for too long
   */
  void read(
      Map<TopicPartition, Long> ends,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
    if (!tail.readTo(ends, reader, patience)) {
      throw stuck(ends);
    }
  }

  /** Reads up to these ends or to the first short silence; returns whether they are reached. */
  boolean readOn(
      Map<TopicPartition, Long> ends,
      java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
    return tail.readTo(ends, reader, Duration.ZERO);
  }

  /** The failure if nothing comes before these ends for too long. */
  TimeoutException stuck(Map<TopicPartition, Long> ends) {
    String where =
        ends.entrySet().stream()
            .filter(end -> tail.consumer().position(end.getKey()) < end.getValue())
            .map(end -> end.getKey() + " from offset " + tail.consumer().position(end.getKey()))
            .collect(Collectors.joining(", "));
    return new TimeoutException(
        "a transaction is open in "
            + where
            + " on, or the broker is slow; what was committed behind it cannot be read before it"
            + " ends, which takes "
            + LeasedCursor.TRANSACTION_LIMIT.toSeconds()
            + "s at most; if it stays, `kafka-transactions.sh find-hanging` names it");
  }

  @Override
  public void close() {
    tail.consumer().close();
    all.close();
  }
}
