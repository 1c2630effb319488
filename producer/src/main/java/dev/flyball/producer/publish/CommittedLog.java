package dev.flyball.producer.publish;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Committed records of some partitions, read to the end that the log has when it is asked. They may
 * lie behind a transaction that is still open, whose end the reader then waits for: a reader of
 * committed records sees no end but the one before it. Several threads may ask for {@link #ends};
 * everything else is for one thread at a time.
 */
final class CommittedLog implements AutoCloseable {
  /** How long a reader may make no progress, unless in tests; the caller tries again later. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration LIMIT = Duration.ofSeconds(15);
  private static final Duration STEP = Duration.ofMillis(200);

  private final Consumer<String, byte[]> committed;

  /** Sees open transactions too; guarded by itself. */
  private final Consumer<String, byte[]> all;

  private final Collection<TopicPartition> partitions;
  private final Duration patience;
  private final LongSupplier nanos;

  /**
   * All partitions of a topic, from their beginning on.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  static CommittedLog of(KafkaClients clients, String topic) {
    Consumer<String, byte[]> all = all(clients);
    try {
      List<TopicPartition> partitions =
          all.partitionsFor(topic, LIMIT).stream()
              .map(each -> new TopicPartition(topic, each.partition()))
              .toList();
      return new CommittedLog(committed(clients), all, partitions, PATIENCE, System::nanoTime);
    } catch (KafkaException e) {
      all.close();
      throw e;
    }
  }

  /** One partition, from its beginning on; sends no request yet. */
  CommittedLog(KafkaClients clients, TopicPartition partition, Duration patience) {
    this(committed(clients), all(clients), List.of(partition), patience, System::nanoTime);
  }

  private static Consumer<String, byte[]> committed(KafkaClients clients) {
    return clients.consumer("committed", Map.of("isolation.level", "read_committed"));
  }

  private static Consumer<String, byte[]> all(KafkaClients clients) {
    return clients.consumer("log-offsets", Map.of("isolation.level", "read_uncommitted"));
  }

  CommittedLog(
      Consumer<String, byte[]> committed,
      Consumer<String, byte[]> all,
      Collection<TopicPartition> partitions,
      Duration patience,
      LongSupplier nanos) {
    this.committed = committed;
    this.all = all;
    this.partitions = List.copyOf(partitions);
    this.patience = patience;
    this.nanos = nanos;
    committed.assign(partitions);
    committed.seekToBeginning(partitions);
  }

  /**
   * The ends of the log now, also behind open transactions.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  Map<TopicPartition, Long> ends() {
    synchronized (all) {
      return Map.copyOf(all.endOffsets(partitions, LIMIT));
    }
  }

  /** The ends of what can be read now. */
  Map<TopicPartition, Long> visibleEnds() {
    return Map.copyOf(committed.endOffsets(partitions, LIMIT));
  }

  /**
   * Goes to the first record of this time or later in each partition, also if that is behind an
   * open transaction; to the partition's end where there is none.
   */
  void seek(Instant time, Map<TopicPartition, Long> ends) {
    long millis = Math.max(0, time.toEpochMilli());
    var times = partitions.stream().collect(Collectors.toMap(it -> it, _ -> millis));
    Map<TopicPartition, OffsetAndTimestamp> found;
    synchronized (all) {
      found = all.offsetsForTimes(times, LIMIT);
    }
    ends.forEach((partition, end) -> {
      OffsetAndTimestamp first = found.get(partition);
      committed.seek(partition, first == null ? end : first.offset());
    });
  }

  /** A reading up to these ends. Its time counts from the first step. */
  Reading to(Map<TopicPartition, Long> ends) {
    return new Reading(ends);
  }

  @Override
  public void close() {
    committed.close();
    synchronized (all) {
      all.close();
    }
  }

  /** What is read up to some ends. */
  final class Reading {
    private final Map<TopicPartition, Long> ends;

    /** The positions at the last check, without partitions read to their end; null before it. */
    private @Nullable Map<TopicPartition, Long> behind;

    /** When the positions last changed. */
    private long movedAt;

    private Reading(Map<TopicPartition, Long> ends) {
      this.ends = ends;
    }

    /**
     * Reads some records unless the ends are reached; returns whether they are.
     *
     * @throws TimeoutException if nothing comes for too long
     * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
     */
    boolean step(java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
      var now = new HashMap<TopicPartition, Long>();
      ends.forEach((partition, end) -> {
        long position = committed.position(partition, LIMIT);
        if (position < end) {
          now.put(partition, position);
        }
      });
      if (now.isEmpty()) {
        return true;
      }
      if (!now.equals(behind)) {
        behind = now;
        movedAt = nanos.getAsLong();
      } else if (nanos.getAsLong() - movedAt >= patience.toNanos()) {
        throw stuck(now.entrySet().iterator().next());
      }
      committed.poll(STEP).forEach(reader);
      return false;
    }

    /** Reads until the ends are reached; throws as one step does. */
    void all(java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
      boolean reached = false;
      while (!reached) {
        reached = step(reader);
      }
    }

    private static TimeoutException stuck(Map.Entry<TopicPartition, Long> at) {
      return new TimeoutException(
          "a transaction is open in "
              + at.getKey()
              + " from offset "
              + at.getValue()
              + " on, or the broker is slow; what was committed behind it cannot be read before it"
              + " ends, which takes "
              + SnapshotPublisher.TRANSACTION_LIMIT.toSeconds()
              + "s at most; if it stays, `kafka-transactions.sh find-hanging` names it");
    }
  }
}
