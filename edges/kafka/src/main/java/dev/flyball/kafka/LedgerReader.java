package dev.flyball.kafka;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Reads the ledger: from the newest checkpoint, then everything after it, then whatever is
 * appended. It folds nothing; the caller folds {@link #start} and every record of {@link #poll}.
 * Belongs to one thread, except {@link #wakeup}.
 */
public final class LedgerReader implements AutoCloseable {
  /** How often the topic's id is compared. */
  public static final Duration DEFAULT_IDENTITY_INTERVAL = Duration.ofSeconds(10);

  private static final Map<String, Object> READING =
      Map.of(
          // No app writes the ledger in a transaction; a foreign one that hangs must not hide
          // renewals.
          "isolation.level", "read_uncommitted",
          "auto.offset.reset", "none",
          "max.poll.records", "5000");

  private final KafkaConsumer<String, byte[]> consumer;
  private final TopicPartition partition;
  private final LedgerIdentity identity;
  private final LedgerState start;
  private final long endAtOpen;
  private long next;

  private LedgerReader(
      KafkaConsumer<String, byte[]> consumer,
      TopicPartition partition,
      LedgerIdentity identity,
      LedgerState start,
      long next,
      long endAtOpen) {
    this.consumer = consumer;
    this.partition = partition;
    this.identity = identity;
    this.start = start;
    this.next = next;
    this.endAtOpen = endAtOpen;
  }

  /**
   * Opens a reader and finds its first offset. The topic must exist.
   *
   * @throws BrokerUnreachable if no broker answers
   * @throws LedgerUnusable if the ledger was cut above its newest checkpoint
   */
  public static LedgerReader open(KafkaClients clients) {
    return open(clients, DEFAULT_IDENTITY_INTERVAL);
  }

  /**
   * The same as {@link #open(KafkaClients)}, with another interval between requests of the topic's
   * id, scaled with a test's clocks.
   */
  public static LedgerReader open(KafkaClients clients, Duration identityInterval) {
    clients.reach(KafkaClients.DEFAULT_REACH_LIMIT);
    String topic = clients.topics().sessionLedger();
    var partition = new TopicPartition(topic, 0);
    LedgerIdentity identity = LedgerIdentity.of(clients, topic, identityInterval);
    KafkaConsumer<String, byte[]> consumer;
    try {
      consumer = clients.follower("ledger", READING);
    } catch (RuntimeException | Error e) {
      identity.close();
      throw e;
    }
    // The search has a separate consumer: at the log's end a consumer has a fetch waiting at the
    // broker, and a seek back would have to wait for it.
    try (var searching = clients.consumer("ledger-search", searching())) {
      searching.assign(List.of(partition));
      var search = new CheckpointSearch(searching, partition);
      LedgerState state = search.newest();
      consumer.assign(List.of(partition));
      long next = state.offset() < 0 ? search.begin() : state.offset() + 1;
      consumer.seek(partition, next);
      return new LedgerReader(consumer, partition, identity, state, next, search.end());
    } catch (TimeoutException e) {
      consumer.close();
      identity.close();
      throw new BrokerUnreachable(clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
    } catch (RuntimeException | Error e) {
      consumer.close();
      identity.close();
      throw e;
    }
  }

  private static Map<String, Object> searching() {
    var all = new HashMap<String, Object>(READING);
    all.put("fetch.max.wait.ms", "1");
    return all;
  }

  /** The state to begin with: the newest checkpoint's, or empty. */
  public LedgerState start() {
    return start;
  }

  /** The ledger's topic id, the first half of every token. */
  public String topicId() {
    return identity.topicId();
  }

  /**
   * When a broker was last asked for the topic's id and answered. Only {@link #poll} asks; polls
   * that return nothing prove no contact.
   */
  public Instant answered() {
    return identity.answered();
  }

  /**
   * Returns the next records, as soon as there are some. Read the clock after this call, not
   * before: a record must never be treated as received earlier than it was.
   *
   * <p>After any other exception the call may be repeated: no record is lost by it.
   *
   * @throws LedgerUnusable if the topic was replaced by another one or truncated, or this position
   *     no longer exists
   */
  public List<LedgerRecord> poll(Duration atMost) {
    identity.check();
    ConsumerRecords<String, byte[]> polled;
    try {
      polled = consumer.poll(atMost);
    } catch (OffsetOutOfRangeException e) {
      throw new LedgerUnusable(
          partition.topic(), "does not have offset " + next + " any more (cut or truncated)", e);
    }
    try {
      List<LedgerRecord> found = new ArrayList<>();
      for (ConsumerRecord<String, byte[]> record : polled) {
        found.add(read(record));
      }
      OffsetAndMetadata after = polled.nextOffsets().get(partition);
      next = after == null ? next : after.offset();
      return found;
    } catch (RuntimeException | Error e) {
      // The consumer treats them as read; without the seek the next poll would skip them.
      consumer.seek(partition, next);
      throw e;
    }
  }

  /**
   * The next offset to be read. It is taken from the records: the consumer's own position may ask
   * the broker, and so wait, fail or be woken up.
   */
  public long position() {
    return next;
  }

  /** Whether every record that existed when this reader was opened has been returned. */
  public boolean caughtUp() {
    return position() >= endAtOpen;
  }

  /** Ends a {@link #poll} that waits, with a WakeupException; any thread. */
  public void wakeup() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    identity.close();
    KafkaClients.closeFollower(consumer);
  }

  private static LedgerRecord read(ConsumerRecord<String, byte[]> record) {
    Instant appended = Instant.ofEpochMilli(record.timestamp());
    if (record.value() == null) {
      return new LedgerRecord(record.offset(), null, "no value", appended);
    }
    try {
      LedgerEntry entry = RecordJson.read(record.value(), LedgerEntry.class);
      return new LedgerRecord(record.offset(), entry, null, appended);
    } catch (UnreadableRecord e) {
      return new LedgerRecord(record.offset(), null, e.getMessage(), appended);
    }
  }
}
