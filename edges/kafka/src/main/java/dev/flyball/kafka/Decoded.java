package dev.flyball.kafka;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The result of reading a record. An unreadable record is a value too, so that it can never stop a
 * consumer.
 */
public sealed interface Decoded<T> {

  /** The record as its topic specifies. */
  record Value<T>(T value) implements Decoded<T> {}

  /** A tombstone. */
  record Deleted<T>() implements Decoded<T> {}

  /** The record is not what its topic specifies; it belongs to dead-letters with this reason. */
  record Unreadable<T>(String reason) implements Decoded<T> {}

  /** Reads a record's JSON. */
  static <T> Decoded<T> of(ConsumerRecord<?, byte[]> record, Class<T> type) {
    if (record.value() == null) {
      return new Deleted<>();
    }
    try {
      return new Value<>(RecordJson.read(record.value(), type));
    } catch (UnreadableRecord e) {
      return new Unreadable<>(String.valueOf(e.getMessage()));
    }
  }
}
