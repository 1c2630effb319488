package dev.flyball.kafka;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to the ledger. An acknowledgement or a timeout says nothing about the effect, and a
 * timed-out entry may still be appended: only the fold says. May be used from any thread; never in
 * a transaction.
 *
 * <p>A producer that was once refused, for example while an access rule was missing, may refuse
 * every later send. It is replaced on another thread, because its first metadata may be slow.
 */
public final class LedgerWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerWriter.class);

  /** Key of entries that concern no item. */
  public static final String NO_ITEM = "-";

  /** After this an append counts as failed; a claim seen later than this is released unstarted. */
  public static final Duration DEFAULT_DELIVERY_TIMEOUT = Duration.ofSeconds(5);

  /** Largest entry, in bytes; below a topic's 1 MiB by what its batch, key and headers add. */
  public static final int MOST_BYTES = 1_000_000;

  private final Supplier<KafkaProducer<String, byte[]>> connect;
  private final String topic;
  private final AtomicBoolean replacing = new AtomicBoolean();

  // Written when opened and by the thread that replaces it, read by those who append.
  private volatile KafkaProducer<String, byte[]> producer;
  private volatile boolean closed;

  private LedgerWriter(Supplier<KafkaProducer<String, byte[]>> connect, String topic) {
    this.connect = connect;
    this.topic = topic;
    this.producer = connect.get();
  }

  /**
   * Connects, so that no later append has to wait for metadata.
   *
   * @param deliveryTimeout scaled with the other clocks in tests
   * @throws BrokerUnreachable if no broker answers
   */
  public static LedgerWriter open(KafkaClients clients, Duration deliveryTimeout) {
    clients.reach(KafkaClients.DEFAULT_REACH_LIMIT);
    Topics topics = clients.topics();
    long millis = deliveryTimeout.toMillis();
    Map<String, String> required =
        Map.of(
            "acks",
            "all",
            "enable.idempotence",
            "true",
            "linger.ms",
            "0",
            "delivery.timeout.ms",
            Long.toString(millis),
            "request.timeout.ms",
            Long.toString(Math.max(1, millis / 2)),
            // A send must not hold up the thread that renews; metadata is kept, so only a full
            // buffer waits.
            "max.block.ms",
            Long.toString(millis),
            "metadata.max.idle.ms",
            Long.toString(Duration.ofDays(1).toMillis()),
            "buffer.memory",
            "4194304");
    try {
      return new LedgerWriter(
          () -> connected(clients, required, topics.sessionLedger()), topics.sessionLedger());
    } catch (RetriableException e) {
      // The broker went away between the two calls, or lacks the topic for a moment: try again.
      throw new BrokerUnreachable(clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
    }
  }

  private static KafkaProducer<String, byte[]> connected(
      KafkaClients clients, Map<String, String> required, String topic) {
    KafkaProducer<String, byte[]> producer = clients.producer("ledger", required);
    try {
      producer.partitionsFor(topic);
      return producer;
    } catch (RuntimeException | Error e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  /**
   * Sends an entry; the callback gets the broker's answer on the producer's thread. One above
   * {@link #MOST_BYTES} is not sent: the callback gets a RecordTooLargeException, as from a broker.
   */
  public void append(String key, LedgerEntry entry, Callback callback) {
    byte[] bytes = RecordJson.bytes(entry);
    if (bytes.length > MOST_BYTES) {
      var refused =
          new RecordTooLargeException(
              "an entry of " + bytes.length + " bytes is above the limit of " + MOST_BYTES);
      callback.onCompletion(null, refused);
      return;
    }
    var record = new ProducerRecord<>(topic, 0, key, bytes, EventHeaders.schema("ledger-entry/1"));
    try {
      var _ =
          producer.send(
              record,
              (metadata, failure) -> {
                if (failure != null && !mayPass(failure)) {
                  replace();
                }
                callback.onCompletion(metadata, failure);
              });
    } catch (KafkaException e) {
      if (!mayPass(e)) {
        replace();
      }
      throw e;
    }
  }

  /** Whether the same producer may take the next entry. */
  private static boolean mayPass(Exception failure) {
    return failure instanceof RetriableException || failure instanceof RecordTooLargeException;
  }

  private void replace() {
    if (closed || !replacing.compareAndSet(false, true)) {
      return;
    }
    Thread.ofVirtual()
        .name("ledger-writer")
        .start(() -> {
          try {
            KafkaProducer<String, byte[]> refused = producer;
            producer = connect.get();
            refused.close(Duration.ZERO);
            if (closed) {
              producer.close(Duration.ZERO);
            }
          } catch (RuntimeException e) {
            // The next refused entry tries again.
            LOG.warn("the ledger's producer is not replaced yet: {}", e.toString());
          } finally {
            replacing.set(false);
          }
        });
  }

  /** Waits until every append has its answer. */
  public void flush() {
    producer.flush();
  }

  @Override
  public void close() {
    closed = true;
    producer.close(Duration.ofSeconds(5));
  }
}
