package dev.flyball.ops.console.projection;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * How far the projection is behind the end of session-events, by what the consumer knows without
 * asking a broker.
 *
 * @param records not read yet
 * @param newest append time of the newest event that was read
 */
record EventLag(long records, Instant newest) {
  static final EventLag NONE = new EventLag(0, Instant.EPOCH);

  /** The lag after these records were polled. */
  EventLag after(
      List<ConsumerRecord<String, byte[]>> polled, Consumer<?, ?> consumer, String topic) {
    long left = 0;
    for (TopicPartition partition : consumer.assignment()) {
      if (partition.topic().equals(topic)) {
        left += consumer.currentLag(partition).orElse(0);
      }
    }
    Instant read = newest;
    for (var record : polled) {
      Instant at = Instant.ofEpochMilli(record.timestamp());
      read = record.topic().equals(topic) && at.isAfter(read) ? at : read;
    }
    return new EventLag(left, read);
  }

  /** Age of the newest event that was read while there are others, in seconds; 0 otherwise. */
  double seconds(Instant now) {
    return records == 0 || newest.equals(Instant.EPOCH)
        ? 0
        : Math.max(0, Duration.between(newest, now).toMillis() / 1000.0);
  }
}
