package dev.flyball.producer.redmine;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.KafkaFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** What was published and committed; each call reads on. One thread. */
final class Published implements AutoCloseable {
  private final KafkaConsumer<String, byte[]> consumer;
  private final List<Entry> entries = new ArrayList<>();
  private final Map<Integer, Set<Content>> contents = new HashMap<>();
  private final Map<Integer, Snapshot> newest = new HashMap<>();

  Published(KafkaFixture kafka) {
    this.consumer = kafka.clients("test").consumer("published");
    String topic = kafka.topics().workItems();
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(info -> new TopicPartition(topic, info.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** The fields in which an edit in the tracker shows. */
  record Content(String title, String state) {}

  /** One record; two equal entries are a repetition. */
  record Entry(int id, String revision, Fingerprint fingerprint, Content content) {}

  /** Reads new records. */
  Published readOn() {
    consumer
        .poll(Duration.ofMillis(200))
        .forEach(record -> {
          var snapshot = RecordJson.read(record.value(), Snapshot.class);
          int id = Integer.parseInt(ItemKey.parse(record.key()).id());
          var content = new Content(snapshot.title(), snapshot.state());
          entries.add(new Entry(id, snapshot.revision(), snapshot.fingerprint(), content));
          newest.put(id, snapshot);
          contents.computeIfAbsent(id, key -> new HashSet<>()).add(content);
        });
    return this;
  }

  List<Entry> entries() {
    return entries;
  }

  boolean has(int id, Content content) {
    return contents.getOrDefault(id, Set.of()).contains(content);
  }

  Snapshot newest(int id) {
    return Objects.requireNonNull(newest.get(id));
  }

  /** The entries that occur more than once. */
  List<Entry> repeated() {
    var seen = new HashSet<Entry>();
    return entries.stream().filter(entry -> !seen.add(entry)).toList();
  }

  /** All contents of each issue. */
  Map<Integer, Set<Content>> contents() {
    return contents;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
