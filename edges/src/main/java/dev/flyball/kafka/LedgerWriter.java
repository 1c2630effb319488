package dev.flyball.kafka;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;

/**
 * Appends to the ledger. An acknowledgement or a timeout proves nothing about the effect, and a
 * timed-out entry may still be appended: only the fold shows it. Thread-safe; never used in a
 * transaction.
 */
public final class LedgerWriter implements AutoCloseable {
  /** Key of entries that concern no item. */
  private static final String NO_ITEM = "-";

  /** After this an append has failed; a claim seen later than this is released unstarted. */
  public static final Duration DEFAULT_DELIVERY_TIMEOUT = Duration.ofSeconds(5);

  /** Largest entry, in bytes; below a topic's 1 MiB by what its batch, key and headers add. */
  public static final int MOST_BYTES = 1_000_000;

  private static final Map<String, String> BUFFER =
      Map.of(
          "metadata.max.idle.ms",
          Long.toString(Duration.ofDays(1).toMillis()),
          "buffer.memory",
          "4194304");

  private final ReplaceableProducer producer;
  private final String topic;

  private LedgerWriter(ReplaceableProducer producer, String topic) {
    this.producer = producer;
    this.topic = topic;
  }

  /**
   * Connects, so that no later append has to wait for metadata.
   *
   * @param deliveryTimeout the time after which an append has failed; scaled with the other clocks
   *     in tests
   * @throws BrokerUnreachable if no broker answers
   */
  public static LedgerWriter open(KafkaClients clients, Duration deliveryTimeout) {
    clients.reach(KafkaClients.DEFAULT_REACH_LIMIT);
    Topics topics = clients.topics();
    try {
      var producer =
          new ReplaceableProducer(
              "ledger",
              () -> connected(clients, deliveryTimeout, topics.sessionLedger()),
              Duration.ofSeconds(5));
      return new LedgerWriter(producer, topics.sessionLedger());
    } catch (RetriableException e) {
      // The broker became unreachable between the two calls, or briefly lacks the topic: try again.
      throw new BrokerUnreachable(clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
    }
  }

  private static KafkaProducer<String, byte[]> connected(
      KafkaClients clients, Duration limit, String topic) {
    KafkaProducer<String, byte[]> producer = clients.producer("ledger", limit, BUFFER);
    try {
      producer.partitionsFor(topic);
      return producer;
    } catch (RuntimeException | Error e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  /**
   * Sends an entry; the broker's answer completes the future on the producer's thread. An entry
   * above {@link #MOST_BYTES} is not sent: the future fails with a RecordTooLargeException, as from
   * a broker.
   */
  public CompletableFuture<RecordMetadata> append(LedgerEntry entry) {
    byte[] bytes = RecordJson.bytes(entry);
    if (bytes.length > MOST_BYTES) {
      return CompletableFuture.failedFuture(
          new RecordTooLargeException(
              "an entry of " + bytes.length + " bytes is above the limit of " + MOST_BYTES));
    }
    String key = entry instanceof LedgerEntry.Claim claim ? claim.item().toString() : NO_ITEM;
    return producer.send(
        new ProducerRecord<>(topic, 0, key, bytes, EventHeaders.schema("ledger-entry/1")));
  }

  @Override
  public void close() {
    producer.close();
  }
}
