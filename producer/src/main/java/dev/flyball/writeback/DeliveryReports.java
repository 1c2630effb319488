package dev.flyball.writeback;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.writeback.DeliveryQueue.Received;
import java.time.InstantSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the end of each delivery visible. An analysis that is given up becomes a dead letter; an
 * operator's redelivery is answered instead, because its dead letter is still there. Both are
 * written before the delivery may be committed. Thread-safe.
 */
final class DeliveryReports {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryReports.class);
  private static final String UNDELIVERED = "undelivered";

  private final Producer<String, byte[]> producer;
  private final Topics topics;
  private final DeadLetterPublisher deadLetters;
  private final Telemetry telemetry;
  private final InstantSource clock;

  DeliveryReports(
      Producer<String, byte[]> producer, Topics topics, Telemetry telemetry, InstantSource clock) {
    this.producer = producer;
    this.topics = topics;
    this.deadLetters = new DeadLetterPublisher(producer, topics, "producer", clock);
    this.telemetry = telemetry;
    this.clock = clock;
  }

  /** A delivery failed and is tried again. */
  void failed() {
    telemetry.count(Metric.WRITE_BACKS, "failed");
  }

  /**
   * An analysis was delivered.
   *
   * @param done what was done, as {@link Delivery#deliver} returns it
   *     <p>If the answer to its operator cannot be written, the delivery still counts: it would be
   *     repeated at the receiver otherwise.
   */
  void delivered(Received received, String done) {
    Command.Redeliver command = received.command();
    if (command != null) {
      EventData data = answer(command).with(Field.AFTER, done).with(Field.REASON, command.why());
      try {
        write(received.item(), command, EventType.COMMAND_DONE, data);
      } catch (KafkaException e) {
        LOG.warn("redelivery not answered: item={} cause={}", received.item(), e.toString());
      }
    }
    telemetry.count(Metric.WRITE_BACKS, done);
  }

  /**
   * An analysis is not tried again.
   *
   * @throws KafkaException if its dead letter or the answer to its operator is not written
   */
  void givenUp(Received received, String reason) {
    String line = "not written back: " + reason;
    Command.Redeliver command = received.command();
    if (command == null) {
      unreadable(received.record(), line);
    } else {
      EventData data = answer(command).with(Field.REASON, line);
      write(received.item(), command, EventType.COMMAND_REFUSED, data);
    }
    telemetry.count(Metric.WRITE_BACKS, "dead");
  }

  /**
   * A record becomes a dead letter.
   *
   * @throws KafkaException if that is not written
   */
  void unreadable(ConsumerRecord<String, byte[]> record, String reason) {
    deadLetters.giveUp(record, reason);
    telemetry.count(Metric.DEAD_LETTERS);
  }

  private static EventData answer(Command.Redeliver command) {
    return EventData.EMPTY
        .with(Field.COMMAND, command.word())
        .with(Field.COMMAND_ID, command.id())
        .with(Field.WHO, command.who())
        .with(Field.BEFORE, UNDELIVERED);
  }

  private void write(ItemKey item, Command.Redeliver command, EventType type, EventData data) {
    // A repeated delivery repeats the id, by which readers recognize the answer as the same.
    String id = command.id() + "-" + type.type();
    var event = new LifecycleEvent(id, type, "/write-back", item.toString(), clock.instant(), data);
    var record =
        new ProducerRecord<>(
            topics.sessionEvents(),
            null,
            item.toString(),
            RecordJson.bytes(data),
            EventHeaders.of(event));
    DeadLetterPublisher.await(producer.send(record), "answer to a command");
  }
}
