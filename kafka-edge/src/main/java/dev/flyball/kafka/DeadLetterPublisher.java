package dev.flyball.kafka;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Writes what could not be read, or was given up, to dead-letters under its original key. May be
 * used from any thread.
 */
public final class DeadLetterPublisher {
  /** Longest key kept, in characters; ours are a tenth of it. */
  private static final int MAX_KEY = 4096;

  private static final int MAX_REASON = 500;

  private final Producer<String, byte[]> producer;
  private final Topics topics;
  private final String by;
  private final InstantSource clock;

  /**
   * @param by who could not read it, for example {@code triage}
   */
  public DeadLetterPublisher(
      Producer<String, byte[]> producer, Topics topics, String by, InstantSource clock) {
    this.producer = producer;
    this.topics = topics;
    this.by = by;
    this.clock = clock;
  }

  /**
   * Publishes a record; the future is the broker's acknowledgement. Commit past the record only
   * after it.
   */
  public Future<RecordMetadata> publish(ConsumerRecord<String, byte[]> record, String reason) {
    return publish(
        record.key(),
        letter(
            reason,
            record.topic(),
            record.partition(),
            record.offset(),
            record.value(),
            by,
            clock.instant()));
  }

  /** Publishes a letter. */
  public Future<RecordMetadata> publish(@Nullable String key, DeadLetter letter) {
    return producer.send(
        new ProducerRecord<>(
            topics.deadLetters(),
            null,
            key == null ? null : cut(key, MAX_KEY),
            RecordJson.bytes(letter),
            EventHeaders.schema("dead-letter/1")));
  }

  /**
   * Puts a letter together; the value is cut at {@link DeadLetter#MAX_VALUE}, the reason becomes
   * one line. Whatever the record was, the letter fits into a record: one that no broker takes
   * would be tried again for ever. Reads no clock, for pure callers.
   */
  public static DeadLetter letter(
      String reason,
      String topic,
      int partition,
      long offset,
      byte @Nullable [] value,
      String by,
      Instant at) {
    String text = value == null ? null : new String(value, StandardCharsets.UTF_8);
    return new DeadLetter(
        cut(reason.replaceAll("\\s+", " ").strip(), MAX_REASON),
        topic,
        partition,
        offset,
        text == null ? null : cut(text, DeadLetter.MAX_VALUE),
        by,
        at);
  }

  /** A record's key as its letter carries it, for callers that write bytes. */
  public static byte @Nullable [] key(byte @Nullable [] key) {
    return key == null || key.length <= MAX_KEY ? key : Arrays.copyOf(key, MAX_KEY);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }
}
