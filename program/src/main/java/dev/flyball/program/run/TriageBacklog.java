package dev.flyball.program.run;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.triage.TriageApp;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * The records that triage-stream has not processed yet. It commits the offset after a record in one
 * transaction with what follows from it, so an empty backlog means that everything written so far
 * has had its effect. Used by one thread.
 */
final class TriageBacklog implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);

  private final String workItems;
  private final Consumer<String, byte[]> consumer;

  /** Keys of the records by their offset. */
  private final Map<TopicPartition, TreeMap<Long, String>> unprocessed = new HashMap<>();

  /** Starts where triage-stream will continue; its topics exist already. */
  TriageBacklog(KafkaClients clients) {
    Topics topics = clients.topics();
    workItems = topics.workItems();
    // The group of triage-stream, whose offsets it reads. It neither joins the group nor commits.
    consumer = clients.consumer("run", Map.of("group.id", topics.applicationId()));
    consumer.assign(
        TriageApp.inputs(topics).stream()
            .flatMap(topic -> consumer.partitionsFor(topic).stream())
            .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
            .toList());
  }

  /** The offset after the newest record that triage-stream processed, by partition. */
  Map<TopicPartition, Long> processed() {
    var processed = new HashMap<TopicPartition, Long>();
    consumer
        .committed(consumer.assignment())
        .forEach(
            (partition, offset) -> processed.put(partition, offset == null ? 0 : offset.offset()));
    return processed;
  }

  /** Reads what was written meanwhile; takes about 200 ms. */
  void read() {
    long began = System.nanoTime();
    for (Duration left = POLL;
        left.isPositive();
        left = POLL.minusNanos(System.nanoTime() - began)) {
      consumer
          .poll(left)
          .forEach(record ->
              unprocessed
                  .computeIfAbsent(
                      new TopicPartition(record.topic(), record.partition()), _ -> new TreeMap<>())
                  .put(record.offset(), record.key()));
    }
  }

  /** Drops the records before these offsets, whose effects the caller has seen. */
  void drop(Map<TopicPartition, Long> processed) {
    unprocessed.forEach(
        (partition, records) -> records.headMap(processed.getOrDefault(partition, 0L)).clear());
  }

  /** The items with a snapshot among the records; a foreign record may have no key. */
  Set<String> items() {
    var items = new TreeSet<String>();
    unprocessed.forEach((partition, records) -> {
      if (partition.topic().equals(workItems)) {
        records.values().stream().filter(Objects::nonNull).forEach(items::add);
      }
    });
    return items;
  }

  /** Whether everything written until now was read and dropped. */
  boolean empty() {
    return unprocessed.values().stream().allMatch(Map::isEmpty)
        && consumer.endOffsets(consumer.assignment()).entrySet().stream()
            .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
