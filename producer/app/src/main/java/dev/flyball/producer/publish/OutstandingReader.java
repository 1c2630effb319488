package dev.flyball.producer.publish;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.tracker.text.Bounded;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Folds session-requests: which items wait for a session or have one. For sources that were asked
 * about it keeps a small entry for each item, for all others only a 64-bit number. Several threads
 * may ask, one at a time.
 */
public final class OutstandingReader implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(15);
  private static final Duration STEP = Duration.ofMillis(200);

  /**
   * How long to wait without a record; records after an open transaction are read the next time.
   */
  private static final Duration SILENCE_LIMIT = Duration.ofSeconds(2);

  private static final int MAX_TITLE = 256;

  private final KafkaConsumer<String, byte[]> consumer;
  private final String topic;
  private final Map<String, NavigableMap<ItemKey, Outstanding>> own = new HashMap<>();
  private final Set<Long> foreign = new HashSet<>();
  private Set<TopicPartition> partitions = Set.of();

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
    if (own.putIfAbsent(source, new TreeMap<>()) == null) {
      // Only numbers were kept of its items so far.
      own.values().forEach(Map::clear);
      foreign.clear();
      consumer.seekToBeginning(partitions);
    }
    readOn();
    return new TreeMap<>(own.getOrDefault(source, new TreeMap<>()));
  }

  /**
   * How many items of all sources wait or run now.
   *
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public synchronized int size() {
    readOn();
    return foreign.size() + own.values().stream().mapToInt(Map::size).sum();
  }

  private void readOn() {
    if (partitions.isEmpty()) {
      partitions =
          consumer.partitionsFor(topic, LIMIT).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .collect(Collectors.toSet());
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
    }
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, LIMIT);
    long heard = System.nanoTime();
    while (isBehind(ends) && System.nanoTime() - heard < SILENCE_LIMIT.toNanos()) {
      var records = consumer.poll(STEP);
      records.forEach(this::fold);
      heard = records.isEmpty() ? heard : System.nanoTime();
    }
  }

  private boolean isBehind(Map<TopicPartition, Long> ends) {
    return partitions.stream()
        .anyMatch(at -> consumer.position(at, LIMIT) < ends.getOrDefault(at, 0L));
  }

  private void fold(ConsumerRecord<String, byte[]> record) {
    if (record.key() == null) {
      return;
    }
    try {
      ItemKey key = ItemKey.parse(record.key());
      NavigableMap<ItemKey, Outstanding> items = own.get(key.sourceKey());
      if (items == null) {
        count(record.key(), record.value() != null);
      } else if (record.value() == null) {
        items.remove(key);
      } else {
        items.put(key, read(record.value()));
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      // The runners read these requests too and make the record a dead letter.
      return;
    }
  }

  private void count(String key, boolean there) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    if (there) {
      foreign.add(hash);
    } else {
      foreign.remove(hash);
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
