package dev.flyball.producer.publish;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.poll.PollState;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads poll-state: the newest committed record of every source. Several threads may ask; while one
 * waits for another source's transaction, the others read what is visible.
 */
public final class PollStateReader implements AutoCloseable {
  private final CommittedLog log;
  private final BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable;

  /** Guards everything below and the log; fair, because a waiting reader takes it in steps. */
  private final ReentrantLock turn = new ReentrantLock(true);

  private final Map<String, PollState> states = new HashMap<>();

  /** When the newest record came, by the monotonic clock. */
  private long heard = System.nanoTime();

  /**
   * Reads nothing before the first call.
   *
   * @param unreadable called with every record that is not a poll state, and the reason
   */
  public PollStateReader(
      KafkaClients clients, BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable) {
    this(clients, unreadable, CommittedLog.PATIENCE);
  }

  PollStateReader(
      KafkaClients clients,
      BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable,
      Duration patience) {
    this(
        CommittedLog.of(clients, new TopicPartition(clients.topics().pollState(), 0), patience),
        unreadable);
  }

  PollStateReader(CommittedLog log, BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable) {
    this.log = log;
    this.unreadable = unreadable;
  }

  /**
   * Reads what is committed and visible now. Newer records may lie after an open transaction of any
   * source. That is enough for a witness, but not for a producer that continues from a cursor.
   *
   * @return the source's record, null if it has none
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public @Nullable PollState read(String source) {
    turn.lock();
    try {
      log.read(log.visibleEnds(), this::fold);
      return states.get(source);
    } finally {
      turn.unlock();
    }
  }

  /**
   * Reads to the end that the topic has now, waiting for transactions that are open there.
   *
   * @return the source's record, null if it has none
   * @throws org.apache.kafka.common.KafkaException if a transaction stays open too long, or the
   *     broker does not answer in time
   */
  public @Nullable PollState readToEnd(String source) {
    Map<TopicPartition, Long> ends = ends();
    long began = System.nanoTime();
    while (true) {
      turn.lock();
      try {
        if (log.readOn(ends, this::fold)) {
          return states.get(source);
        }
        long silence = System.nanoTime() - (heard - began > 0 ? heard : began);
        if (silence > log.patience().toNanos()) {
          throw log.stuck(ends);
        }
      } finally {
        turn.unlock();
      }
    }
  }

  private Map<TopicPartition, Long> ends() {
    turn.lock();
    try {
      return log.ends();
    } finally {
      turn.unlock();
    }
  }

  private void fold(ConsumerRecord<String, byte[]> record) {
    heard = System.nanoTime();
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
  public void close() {
    turn.lock();
    try {
      log.close();
    } finally {
      turn.unlock();
    }
  }
}
