package dev.flyball.producer.publish;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.tracker.text.Bounded;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Folds session-requests: which items wait for a session or have one. It keeps a small entry for
 * each. Several threads may ask, one at a time.
 */
public final class OutstandingReader implements AutoCloseable {
  /**
   * How long to wait without a record. A busy broker takes seconds to answer the first fetch; what
   * is not read then is read by the next poll.
   */
  private static final Duration SILENCE_LIMIT = Duration.ofSeconds(10);

  private static final int MAX_TITLE = 256;

  /**
   * An item that waits for a session or has one, by its request.
   *
   * @param title shortened
   * @param fingerprint of the snapshot that the session reads
   */
  public record Outstanding(
      String title, String revision, String type, int priority, Fingerprint fingerprint) {}

  private final KafkaConsumer<String, byte[]> consumer;
  private final String topic;

  private final Map<String, NavigableMap<ItemKey, Outstanding>> sources = new HashMap<>();

  private @Nullable TopicTail tail;

  /** Reads nothing before the first call. */
  public OutstandingReader(KafkaClients clients) {
    this.consumer = clients.consumer("outstanding");
    this.topic = clients.topics().sessionRequests();
  }

  /**
   * The current items of one source, in the order of their keys.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public synchronized NavigableMap<ItemKey, Outstanding> of(String source) {
    readOn();
    return new TreeMap<>(sources.getOrDefault(source, new TreeMap<>()));
  }

  /**
   * How many items of each source wait or run now, by its key; a source without any may be missing.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public synchronized Map<String, Integer> sizes() {
    readOn();
    var sizes = new HashMap<String, Integer>();
    sources.forEach((source, items) -> sizes.put(source, items.size()));
    return sizes;
  }

  private void readOn() {
    if (tail == null || tail.partitions().isEmpty()) {
      tail = TopicTail.of(consumer, topic);
    }
    var _ = tail.readToEnd(this::fold, SILENCE_LIMIT);
  }

  private void fold(ConsumerRecord<String, byte[]> record) {
    if (record.key() == null) {
      return;
    }
    try {
      ItemKey key = ItemKey.parse(record.key());
      NavigableMap<ItemKey, Outstanding> items =
          sources.computeIfAbsent(key.sourceKey(), source -> new TreeMap<>());
      if (record.value() == null) {
        items.remove(key);
      } else {
        items.put(key, read(record.value()));
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      // The runners read these requests too and make the record a dead letter.
      return;
    }
  }

  private static Outstanding read(byte[] value) {
    Snapshot snapshot = RecordJson.read(value, SessionRequest.class).snapshot();
    return new Outstanding(
        Bounded.line(snapshot.title(), MAX_TITLE),
        snapshot.revision(),
        snapshot.type(),
        snapshot.priority(),
        snapshot.fingerprint());
  }

  @Override
  public synchronized void close() {
    consumer.close();
  }
}
