package dev.flyball.ops.console.projection;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * How far the projection is behind the end of session-events, by what the consumer knows without
 * asking a broker. What was polled counts until it is stored: where the disk accepts no commit, the
 * lag grows.
 *
 * @param records not stored yet
 * @param since append time of the oldest polled event that is not stored, otherwise of the newest
 *     one that is
 */
record EventLag(long records, Instant since) {
  static final EventLag NONE = new EventLag(0, Instant.EPOCH);

  /** The lag while these records are polled and not stored. */
  EventLag with(
      List<ConsumerRecord<String, byte[]>> polled, Consumer<?, ?> consumer, String topic) {
    long left = 0;
    for (TopicPartition partition : consumer.assignment()) {
      if (partition.topic().equals(topic)) {
        left += consumer.currentLag(partition).orElse(0);
      }
    }
    return with(times(polled, topic).toList(), left);
  }

  /** The same of these append times, while more records are not polled. */
  EventLag with(List<Instant> polled, long left) {
    return new EventLag(
        left + polled.size(), polled.stream().min(Comparator.naturalOrder()).orElse(since));
  }

  /** The lag once these records, which are contained, are stored. */
  EventLag stored(List<ConsumerRecord<String, byte[]>> polled, String topic) {
    return stored(times(polled, topic).toList());
  }

  /** The same of these append times. */
  EventLag stored(List<Instant> polled) {
    return new EventLag(
        records - polled.size(), polled.stream().max(Comparator.naturalOrder()).orElse(since));
  }

  /** The age of what it is behind, in seconds; 0 if it is not. */
  double seconds(Instant now) {
    return records == 0 || since.equals(Instant.EPOCH)
        ? 0
        : Math.max(0, Duration.between(since, now).toMillis() / 1000.0);
  }

  private static Stream<Instant> times(List<ConsumerRecord<String, byte[]>> polled, String topic) {
    return polled.stream()
        .filter(record -> record.topic().equals(topic))
        .map(record -> Instant.ofEpochMilli(record.timestamp()));
  }
}
