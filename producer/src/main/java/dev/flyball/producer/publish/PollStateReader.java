package dev.flyball.producer.publish;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.poll.PollState;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads poll-state: the newest committed record of every source. Several threads may ask, one at a
 * time.
 */
public final class PollStateReader implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private static final Duration STEP = Duration.ofMillis(200);

  private final LogOffsets offsets;
  private final Duration patience;
  private final LongSupplier nanos;
  private final Consumer<String, byte[]> consumer;
  private final TopicPartition partition;
  private final Map<String, PollState> states = new HashMap<>();

  private final BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable;

  /**
   * Reads nothing before the first call.
   *
   * @param unreadable called with every record that is not a poll state, and the reason
   */
  public PollStateReader(
      KafkaClients clients, BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable) {
    this(clients, unreadable, LogEnd.PATIENCE);
  }

  /** With another wait limit. */
  PollStateReader(
      KafkaClients clients,
      BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable,
      Duration patience) {
    this(
        new LogOffsets(clients),
        clients.consumer("poll-state", Map.of("isolation.level", "read_committed")),
        new TopicPartition(clients.topics().pollState(), 0),
        unreadable,
        patience,
        System::nanoTime);
  }

  PollStateReader(
      LogOffsets offsets,
      Consumer<String, byte[]> consumer,
      TopicPartition partition,
      BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable,
      Duration patience,
      LongSupplier nanos) {
    this.unreadable = unreadable;
    this.offsets = offsets;
    this.consumer = consumer;
    this.partition = partition;
    this.patience = patience;
    this.nanos = nanos;
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
  }

  /**
   * Reads what is committed and visible now. Newer records may lie after an open transaction of any
   * source. That is enough for a witness, but not for a producer that continues from a cursor.
   *
   * @return the source's record, null if it has none
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public synchronized @Nullable PollState read(String source) {
    readOn();
    return states.get(source);
  }

  /**
   * Reads to the end that the topic has now, waiting for transactions that are open there.
   *
   * @return the source's record, null if it has none
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public @Nullable PollState readToEnd(String source) {
    readTo(end(offsets.ends(List.of(partition))));
    return known(source);
  }

  private synchronized @Nullable PollState known(String source) {
    return states.get(source);
  }

  /**
   * Reads what is committed and visible now, to find unreadable records.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public synchronized void readOn() {
    readTo(end(consumer.endOffsets(List.of(partition), LIMIT)));
  }

  private LogEnd end(Map<TopicPartition, Long> ends) {
    return new LogEnd(consumer, ends, patience, nanos);
  }

  /**
   * Reads to the end. Other threads may read between two steps, unless the caller holds the
   * monitor.
   */
  private void readTo(LogEnd end) {
    boolean reached = false;
    while (!reached) {
      reached = step(end);
    }
  }

  /** Reads a bit unless the end is reached; returns whether it is. */
  private synchronized boolean step(LogEnd end) {
    boolean reached = end.reached();
    if (!reached) {
      consumer.poll(STEP).forEach(this::fold);
    }
    return reached;
  }

  private void fold(ConsumerRecord<String, byte[]> record) {
    try {
      if (record.key() == null) {
        throw new UnreadableRecord("the key is missing");
      }
      if (record.value() == null) {
        states.remove(record.key());
      } else {
        states.put(record.key(), state(record.value()));
      }
    } catch (UnreadableRecord e) {
      // The record read before it stays in force. If compaction left none, the source counts as
      // never polled: it is read from the beginning, and triage stops what it knows.
      unreadable.accept(record, String.valueOf(e.getMessage()));
    }
  }

  private static PollState state(byte[] value) {
    PollState state = RecordJson.read(value, PollState.class);
    // Jackson leaves a missing property null, whatever the record's type promises.
    if ((@Nullable Object) state.owner() == null) {
      throw new UnreadableRecord("property owner is missing");
    }
    return state;
  }

  @Override
  public synchronized void close() {
    consumer.close();
    offsets.close();
  }
}
