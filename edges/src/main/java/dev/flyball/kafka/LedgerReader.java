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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

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

  /**
   * One record of the ledger.
   *
   * @param entry null if this code cannot read it: then it has no effect
   * @param unreadable the reason; null if it can be read
   * @param appendTime the broker's append time, only for display, pauses and the budget's day
   */
  public record LedgerRecord(
      long offset, @Nullable LedgerEntry entry, @Nullable String unreadable, Instant appendTime) {

    /** The state after this record; one that cannot be read only moves its offset. */
    public LedgerState after(LedgerState before) {
      return entry == null ? before.skip(offset) : before.fold(entry, offset, appendTime).state();
    }

    /** The entry; empty if it cannot be read. */
    public Optional<LedgerEntry> maybeEntry() {
      return Optional.ofNullable(entry);
    }
  }

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

  /**
   * The state at the ledger's end, for callers that need it now and then.
   *
   * @throws BrokerUnreachable if no broker answers
   * @throws LedgerUnusable if the ledger was cut above its newest checkpoint, or replaced
   */
  public static LedgerState stateAtEnd(KafkaClients clients) {
    try (var reader = open(clients)) {
      LedgerState state = reader.start();
      while (!reader.caughtUp()) {
        for (LedgerRecord record : reader.poll(Duration.ofMillis(500))) {
          state = record.after(state);
        }
      }
      return state;
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

  /**
   * Watches whether the ledger is still the same topic. A topic that was deleted and created again
   * would be read silently from the old position. So its id is requested at an interval, without
   * ever waiting for the answer. Belongs to the reader's thread.
   */
  private static final class LedgerIdentity implements AutoCloseable {
    /** A request lost in a network is repeated after this; Kafka's own limit is a minute. */
    private static final DescribeTopicsOptions LIMIT =
        new DescribeTopicsOptions().timeoutMs(10_000);

    private final Admin admin;
    private final String topic;
    private final Uuid id;
    private final long intervalNanos;
    private @Nullable KafkaFuture<TopicDescription> asked;
    private long askedAt;

    /** When the pending or last request was sent, and the last one that was answered. */
    private Instant sent;

    private Instant answered;

    private LedgerIdentity(
        Admin admin, String topic, Uuid id, Duration interval, Instant answered) {
      this.admin = admin;
      this.topic = topic;
      this.id = id;
      this.intervalNanos = interval.toNanos();
      this.askedAt = System.nanoTime();
      this.sent = answered;
      this.answered = answered;
    }

    static LedgerIdentity of(KafkaClients clients, String topic, Duration interval) {
      Admin admin = clients.admin("ledger-id");
      Instant sent = Instant.now();
      try {
        TopicDescription now = describe(admin, topic).get(10, TimeUnit.SECONDS);
        return new LedgerIdentity(admin, topic, now.topicId(), interval, sent);
      } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
        admin.close();
        if (e.getCause() instanceof UnknownTopicOrPartitionException) {
          throw KafkaFailure.lacking(topic, "missing");
        }
        throw new BrokerUnreachable(
            clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
      } catch (InterruptedException e) {
        admin.close();
        Thread.currentThread().interrupt();
        throw new BrokerUnreachable(
            clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
      }
    }

    String topicId() {
      return id.toString();
    }

    /** When the newest request that a broker answered was sent. */
    Instant answered() {
      return answered;
    }

    /** Takes an answer if there is one, and requests the id again if it is time. */
    void check() {
      KafkaFuture<TopicDescription> pending = asked;
      if (pending == null) {
        if (System.nanoTime() - askedAt >= intervalNanos) {
          sent = Instant.now();
          asked = describe(admin, topic);
          askedAt = System.nanoTime();
        }
        return;
      }
      if (pending.isDone()) {
        asked = null;
        compare(pending);
      }
    }

    private void compare(KafkaFuture<TopicDescription> answer) {
      try {
        Uuid found = answer.get().topicId();
        if (!found.equals(id)) {
          throw new LedgerUnusable(
              topic, "was deleted and made again (topic id " + found + " instead of " + id + ")");
        }
        answered = sent;
      } catch (ExecutionException e) {
        // A broker that does not answer proves nothing about the topic, and one that has just
        // started may not know it yet. The leases' own deadlines handle both. A deleted topic that
        // is created again has another id.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private static KafkaFuture<TopicDescription> describe(Admin admin, String topic) {
      return Objects.requireNonNull(
          admin.describeTopics(List.of(topic), LIMIT).topicNameValues().get(topic));
    }

    @Override
    public void close() {
      admin.close(Duration.ofSeconds(1));
    }
  }
}
