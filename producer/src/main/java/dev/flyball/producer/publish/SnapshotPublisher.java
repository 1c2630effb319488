package dev.flyball.producer.publish;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a source's snapshots, its cursor and its dead letters in one transaction. The
 * transactional id belongs to the source, so opening one fences every older poller of that source.
 * One thread at a time.
 */
final class SnapshotPublisher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotPublisher.class);

  /**
   * A transaction of a frozen producer delays readers of committed records by at most this time.
   */
  static final Duration TRANSACTION_LIMIT = Duration.ofSeconds(60);

  private final KafkaClients clients;
  private final Map<String, Object> required;
  private @Nullable KafkaProducer<String, byte[]> producer;

  SnapshotPublisher(KafkaClients clients, String source) {
    this.clients = clients;
    this.required =
        Map.of(
            "transactional.id",
            clients.topics().prefix() + "producer/" + source,
            "transaction.timeout.ms",
            (int) TRANSACTION_LIMIT.toMillis(),
            "linger.ms",
            5,
            "buffer.memory",
            16L << 20,
            "max.block.ms",
            15_000,
            "request.timeout.ms",
            10_000,
            "delivery.timeout.ms",
            30_000);
  }

  boolean isOpen() {
    return producer != null;
  }

  /**
   * Fences every older poller of this source, and ends the transaction that it left open.
   *
   * @throws KafkaException if the broker does not answer in time
   */
  void open() {
    close();
    var next = clients.producer("snapshots", required);
    try {
      next.initTransactions();
      producer = next;
    } finally {
      if (producer == null) {
        next.close(Duration.ZERO);
      }
    }
  }

  /**
   * Commits all records or none. After a failure it is unknown which: the publisher is closed, and
   * the caller must open one again and read poll-state to learn it.
   *
   * @return what went wrong, one line; empty if nothing did
   */
  Optional<String> commit(List<ProducerRecord<String, byte[]>> records) {
    KafkaProducer<String, byte[]> open = producer;
    if (open == null) {
      throw new IllegalStateException("not open");
    }
    try {
      open.beginTransaction();
      for (var record : records) {
        // The commit fails if any send failed.
        var _ = open.send(record);
      }
      open.commitTransaction();
      return Optional.empty();
    } catch (RuntimeException e) {
      LOG.debug("transaction failed", e);
      close();
      Throwable cause = e.getCause() instanceof KafkaException inner ? inner : e;
      return Optional.of(cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }
  }

  @Override
  public void close() {
    KafkaProducer<String, byte[]> open = producer;
    producer = null;
    if (open != null) {
      open.close(Duration.ofSeconds(1));
    }
  }
}
