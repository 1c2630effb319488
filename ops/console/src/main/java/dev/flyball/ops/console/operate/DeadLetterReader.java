package dev.flyball.ops.console.operate;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Reads the current dead letters, oldest first. */
public final class DeadLetterReader {
  private static final Duration REACH = Duration.ofSeconds(5);

  private DeadLetterReader() {}

  /**
   * One dead letter and its key; null for a record without one.
   *
   * @param letter its content; for a record that is not a dead letter, only its place
   */
  public record Letter(@Nullable String key, DeadLetter letter) {}

  /**
   * Passes every dead letter to the reader. None is kept in memory, because a month of them may be
   * many.
   *
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   * @throws StartFailure if the topic does not exist, or a partition of it is not answered
   */
  public static void read(KafkaClients clients, Consumer<Letter> reader) {
    clients.reach(REACH);
    String topic = clients.topics().deadLetters();
    try (KafkaConsumer<String, byte[]> consumer = clients.consumer("letters")) {
      var tail = TopicTail.of(consumer, topic);
      if (tail.partitions().isEmpty()) {
        throw new StartFailure("there is no topic " + topic + " yet: start ./flyball up");
      }
      if (!tail.readToEnd(record -> reader.accept(letter(record)), REACH)) {
        // A broker that is away is the more frequent cause, and has a line that says more.
        clients.reach(REACH);
        throw new StartFailure(silent(topic));
      }
    } catch (TimeoutException e) {
      throw new StartFailure(silent(topic), e);
    }
  }

  /** The same into a selection, which is returned. */
  public static <T> DeadLetterSelection<T> into(
      KafkaClients clients, DeadLetterSelection<T> selection) {
    read(clients, selection::read);
    return selection;
  }

  private static String silent(String topic) {
    return "topic "
        + topic
        + " cannot be read to its end: a partition may have no leader; check the brokers";
  }

  private static Letter letter(ConsumerRecord<String, byte[]> record) {
    return new Letter(record.key(), read(record));
  }

  /** A record's dead letter; for a record that is none, only its place. */
  public static DeadLetter read(ConsumerRecord<String, byte[]> record) {
    try {
      return RecordJson.read(record.value(), DeadLetter.class);
    } catch (UnreadableRecord e) {
      return new DeadLetter(
          "itself unreadable: " + e.getMessage(),
          record.topic(),
          record.partition(),
          record.offset(),
          null,
          "",
          Instant.ofEpochMilli(record.timestamp()));
    }
  }
}
