package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.change.Published;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads back from work-items what was published of one source. A producer that takes a source over
 * has no local copy, and would otherwise publish twice what changed shortly before the cursor. It
 * reads to the log's own end, as poll-state is read: the last holder's commit may lie after another
 * source's open transaction.
 */
public final class PublishedReader {
  private final KafkaClients clients;

  PublishedReader(KafkaClients clients) {
    this.clients = clients;
  }

  /**
   * Reads from this time to the end that the topic has now.
   *
   * @param source {@code tenant/source}
   * @param from null for all that is kept
   * @throws org.apache.kafka.common.KafkaException if the broker does not answer in time
   */
  public Published since(String source, @Nullable Instant from) {
    try (var log = CommittedLog.of(clients, clients.topics().workItems())) {
      Map<TopicPartition, Long> ends = log.ends();
      if (from != null) {
        log.seek(from, ends);
      }
      var published = new Published();
      CommittedLog.Reading reading = log.to(ends);
      boolean reached = false;
      while (!reached) {
        reached = reading.step(record -> take(source, record, published));
      }
      return published;
    }
  }

  private static void take(
      String source, ConsumerRecord<String, byte[]> record, Published published) {
    try {
      if (record.key() == null || record.value() == null) {
        return;
      }
      ItemKey key = ItemKey.parse(record.key());
      if (key.sourceKey().equals(source)) {
        String digest = EventHeaders.text(record.headers(), EventHeaders.DIGEST);
        Snapshot snapshot = RecordJson.read(record.value(), Snapshot.class);
        published.add(key, digest, snapshot.fingerprint(), snapshot.changedAt());
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      // No producer of ours wrote it; triage makes it a dead letter.
      return;
    }
  }
}
