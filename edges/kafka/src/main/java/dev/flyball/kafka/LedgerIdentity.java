package dev.flyball.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Watches whether the ledger is still the same topic. A topic that was deleted and created again
 * would be read silently from the old position. So its id is requested at an interval, without ever
 * waiting for the answer. Belongs to the reader's thread.
 */
final class LedgerIdentity implements AutoCloseable {
  /** A request lost in a network is repeated after this; Kafka's own limit is a minute. */
  private static final DescribeTopicsOptions LIMIT = new DescribeTopicsOptions().timeoutMs(10_000);

  private final Admin admin;
  private final String topic;
  private final Uuid id;
  private final long intervalNanos;
  private @Nullable KafkaFuture<TopicDescription> asked;
  private long askedAt;

  /** When the pending or last request was sent, and the last one that was answered. */
  private Instant sent;

  private Instant answered;

  private LedgerIdentity(Admin admin, String topic, Uuid id, Duration interval, Instant answered) {
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
    } catch (ExecutionException | TimeoutException e) {
      admin.close();
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        throw WrongTopic.lacking(topic, "missing");
      }
      throw new BrokerUnreachable(clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
    } catch (InterruptedException e) {
      admin.close();
      Thread.currentThread().interrupt();
      throw new BrokerUnreachable(clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
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
      // A broker that does not answer proves nothing about the topic, and one that has just started
      // may not know it yet. The leases' own deadlines handle both. A deleted topic that is created
      // again has another id.
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
