package dev.flyball.kafka;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Writes records that could not be read, and items that were given up, to dead-letters under their
 * original key. Thread-safe.
 */
public final class DeadLetterPublisher {
  /** Longest key that is kept, in characters; keys that Flyball writes have a tenth of it. */
  private static final int MAX_KEY = 4096;

  private static final int MAX_REASON = 500;

  /** How long {@link #await} waits for the broker. */
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Producer<String, byte[]> producer;
  private final Topics topics;
  private final String by;
  private final InstantSource clock;

  /**
   * @param by the app that could not read the record, for example {@code triage}
   */
  public DeadLetterPublisher(
      Producer<String, byte[]> producer, Topics topics, String by, InstantSource clock) {
    this.producer = producer;
    this.topics = topics;
    this.by = by;
    this.clock = clock;
  }

  /** Publishes a record's dead letter. Commit past the record only after the acknowledgement. */
  public Future<RecordMetadata> publish(ConsumerRecord<String, byte[]> record, String reason) {
    DeadLetter letter = letter(record, reason, by, clock.instant());
    return producer.send(record(topics, record.key(), letter));
  }

  /**
   * Publishes a dead letter for a record that is given up, and waits until it is written: only then
   * may the record be skipped.
   *
   * @throws KafkaException if it is not written within 15 s
   */
  public void giveUp(ConsumerRecord<String, byte[]> record, String reason) {
    await(publish(record, reason), "dead letter");
  }

  /**
   * Waits until a record is written.
   *
   * @param what the record, for the message of a failure
   * @throws KafkaException if it is not written within 15 s
   */
  public static void await(Future<RecordMetadata> sent, String what) {
    try {
      sent.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException(what + " not written: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException(what + " not written: interrupted", e);
    }
  }

  /** The record of a dead letter, for a caller that sends it by other means. */
  public static ProducerRecord<String, byte[]> record(
      Topics topics, @Nullable String key, DeadLetter letter) {
    return new ProducerRecord<>(
        topics.deadLetters(),
        null,
        key == null ? null : cut(key, MAX_KEY),
        RecordJson.bytes(letter),
        EventHeaders.schema("dead-letter/1"));
  }

  /** Builds the dead letter of a record, by the app that could not read it. */
  public static DeadLetter letter(
      ConsumerRecord<String, byte[]> record, String reason, String by, Instant at) {
    return letter(
        reason, record.topic(), record.partition(), record.offset(), record.value(), by, at);
  }

  /**
   * Builds a dead letter. The value is cut at {@link DeadLetter#MAX_VALUE}, and the reason becomes
   * one line. Whatever the record was, the dead letter fits into a record: one that the broker
   * rejects would be tried again for ever. Reads no clock, for pure callers.
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
        OneLine.of(reason, MAX_REASON),
        topic,
        partition,
        offset,
        text == null ? null : cut(text, DeadLetter.MAX_VALUE),
        by,
        at);
  }

  /** Returns a record's key as its dead letter carries it, for callers that write bytes. */
  public static byte @Nullable [] key(byte @Nullable [] key) {
    return key == null || key.length <= MAX_KEY ? key : Arrays.copyOf(key, MAX_KEY);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }
}
