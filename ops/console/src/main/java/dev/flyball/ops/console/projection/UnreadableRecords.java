package dev.flyball.ops.console.projection;

import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;

/** Writes the console's dead letters. Used by the projection's thread. */
final class UnreadableRecords implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  private final Producer<String, byte[]> producer;
  private final DeadLetterPublisher deadLetters;
  private final Runnable counted;

  /**
   * @param counted called once for each dead letter that the broker has
   */
  UnreadableRecords(KafkaClients clients, Runnable counted) {
    this.counted = counted;
    this.producer = clients.producer("dead-letters");
    this.deadLetters =
        new DeadLetterPublisher(producer, clients.topics(), "console", InstantSource.system());
  }

  /**
   * Writes a dead letter and waits for the acknowledgement: the position is committed past the
   * record only after it.
   */
  void bury(ConsumerRecord<String, byte[]> record, String reason) {
    try {
      var _ = deadLetters.publish(record, reason).get();
      counted.run();
    } catch (ExecutionException | InterruptedException e) {
      throw ProjectionInput.failed(e);
    }
  }

  @Override
  public void close() {
    producer.close(CLOSE_LIMIT);
  }
}
