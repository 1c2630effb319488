package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes poll events. They are not part of the poll's transaction: an open transaction would hold
 * back every reader of session-events, so a frozen producer would delay unrelated sessions'
 * terminal events.
 */
public final class PollEventPublisher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PollEventPublisher.class);

  private final KafkaProducer<String, byte[]> producer;
  private final String topic;
  private final String source;
  private final DeadLetterPublisher deadLetters;

  /**
   * Opens a producer; does not wait for the broker.
   *
   * @param owner this producer's id
   * @param clock the time of dead letters
   */
  public PollEventPublisher(KafkaClients clients, String owner, InstantSource clock) {
    this.producer =
        clients.producer("poll-events", Map.of("buffer.memory", 4L << 20, "max.block.ms", 5_000));
    this.topic = clients.topics().sessionEvents();
    this.source = "/producer/" + owner;
    this.deadLetters = new DeadLetterPublisher(producer, clients.topics(), "producer", clock);
  }

  /** Sends one event and does not wait; a failure is logged, and does not fail the poll. */
  public void publish(EventType type, String sourceKey, Instant time, EventData data) {
    String id =
        data.text(Field.POLL).orElseGet(() -> UUID.randomUUID().toString()) + "-" + type.type();
    var event = new LifecycleEvent(id, type, source, sourceKey, time, data);
    LOG.info("{} source={} {}", type.type(), sourceKey, data);
    try {
      // Only its callback is used.
      var _ =
          producer.send(
              new ProducerRecord<>(
                  topic, null, sourceKey, RecordJson.bytes(data), EventHeaders.of(event)),
              (metadata, failure) -> {
                if (failure != null) {
                  LOG.warn(
                      "event not written type={} source={}: {}",
                      type.type(),
                      sourceKey,
                      failure.getMessage());
                }
              });
    } catch (KafkaException e) {
      LOG.warn("event not written type={} source={}: {}", type.type(), sourceKey, e.getMessage());
    }
  }

  /** Sends a record that could not be read to dead-letters, and does not wait. */
  public void deadLetter(ConsumerRecord<String, byte[]> record, String reason) {
    LOG.warn(
        "unreadable record {}-{}@{}: {}",
        record.topic(),
        record.partition(),
        record.offset(),
        reason);
    try {
      // A failure is logged by the send, and every start reads the record again.
      var _ = deadLetters.publish(record, reason);
    } catch (KafkaException e) {
      LOG.warn("dead letter not written: {}", e.getMessage());
    }
  }

  /** Where unreadable and given up records go; closed with this. */
  public DeadLetterPublisher deadLetters() {
    return deadLetters;
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
