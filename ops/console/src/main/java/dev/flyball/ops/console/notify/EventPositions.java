package dev.flyball.ops.console.notify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.notify.rule.EventRules;
import dev.flyball.ops.console.notify.rule.TargetPlaces;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads session-events as the group {@code PREFIX-notify}, and commits how far each target has
 * come. A group without a position begins at the end: an old log must not call a person. One
 * thread.
 */
final class EventPositions implements AutoCloseable {
  private final KafkaConsumer<String, byte[]> consumer;
  private final TargetPlaces places;
  private final Map<TopicPartition, TargetPlaces.Commit> committed = new HashMap<>();

  /** Joins the group; goes on with these places, which may be known from an earlier reader. */
  EventPositions(KafkaClients clients, TargetPlaces places) {
    this.places = places;
    String prefix = clients.topics().prefix();
    this.consumer =
        clients.consumer(
            "notify",
            Map.of(
                "group.id",
                prefix.substring(0, prefix.length() - 1) + "-notify",
                "auto.offset.reset",
                "latest",
                "max.poll.records",
                200));
    consumer.subscribe(Set.of(clients.topics().sessionEvents()), new Partitions());
  }

  /** Passes on the events that came, which can lead to notifications, each with its record. */
  void read(Duration patience, BiConsumer<LifecycleEvent, ConsumerRecord<String, byte[]>> taken) {
    for (ConsumerRecord<String, byte[]> record : consumer.poll(patience)) {
      event(record).ifPresent(event -> taken.accept(event, record));
      places.read(record.partition(), record.offset());
    }
  }

  /** An unreadable event is reported by the projection. */
  private static Optional<LifecycleEvent> event(ConsumerRecord<String, byte[]> record) {
    boolean concerns =
        EventHeaders.typeOf(record.headers()).filter(EventRules::concerns).isPresent();
    if (!concerns || record.value() == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(EventHeaders.read(record.headers(), record.value()));
    } catch (UnreadableRecord e) {
      return Optional.empty();
    }
  }

  /** Commits what has changed. */
  void commit() {
    var news = new HashMap<TopicPartition, OffsetAndMetadata>();
    for (TopicPartition partition : consumer.assignment()) {
      TargetPlaces.Commit now = places.commit(partition.partition());
      if (!Objects.equals(committed.put(partition, now), now)) {
        news.put(partition, new OffsetAndMetadata(now.next(), now.text()));
      }
    }
    if (!news.isEmpty()) {
      consumer.commitSync(news);
    }
  }

  @Override
  public void close() {
    consumer.close();
  }

  /** Goes on where the group was; a first position is committed, so that a crash keeps it. */
  private final class Partitions implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      committed.keySet().removeAll(partitions);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      Map<TopicPartition, OffsetAndMetadata> known = consumer.committed(new HashSet<>(partitions));
      for (TopicPartition partition : partitions) {
        OffsetAndMetadata place = known.get(partition);
        if (place == null) {
          consumer.seekToEnd(Set.of(partition));
        }
        places.resume(
            partition.partition(),
            place == null ? consumer.position(partition) : place.offset(),
            place == null ? "" : place.metadata());
      }
      commit();
    }
  }
}
