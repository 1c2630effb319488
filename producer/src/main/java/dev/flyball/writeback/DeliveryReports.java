package dev.flyball.writeback;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
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
 * Makes the end of each delivery visible, by an event. An analysis that is given up also becomes a
 * dead letter; an operator's redelivery is answered instead, because its dead letter is still
 * there. All is written before the delivery may be committed. Thread-safe.
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

  void failed() {
    telemetry.count(Metric.WRITE_BACKS, "failed");
  }

  /**
   * An analysis was delivered.
   *
   * @param done what was done, as {@link Delivery#deliver} returns it
   *     <p>If it cannot be reported, the delivery still counts: it would be repeated at the
   *     receiver otherwise.
   */
  void delivered(Received received, String done) {
    try {
      Command.Redeliver command = received.command();
      if (command != null) {
        EventData data = answer(command).with(Field.AFTER, done).with(Field.REASON, command.why());
        write(received.item(), command.id(), EventType.COMMAND_DONE, data);
      }
      ended(received, EventType.WRITE_BACK_FINISHED, Field.AFTER, done);
    } catch (KafkaException e) {
      LOG.warn("delivery not reported: item={} cause={}", received.item(), e.toString());
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
      write(received.item(), command.id(), EventType.COMMAND_REFUSED, data);
    }
    ended(received, EventType.WRITE_BACK_FAILED, Field.REASON, reason);
    telemetry.count(Metric.WRITE_BACKS, "dead");
  }

  private void ended(Received received, EventType type, Field field, String text) {
    Analysis analysis = received.analysis();
    ConsumerRecord<String, byte[]> record = received.record();
    EventData data =
        EventData.EMPTY
            .with(Field.REVISION, analysis.revision(), Field.SESSION, analysis.session())
            .with(Field.WAITING_MS, Math.max(0, clock.millis() - record.timestamp()), field, text);
    write(received.item(), record.topic() + record.partition() + "@" + record.offset(), type, data);
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

  /** Writes an event; a repeated delivery repeats its id, by which readers recognize it. */
  private void write(ItemKey item, String cause, EventType type, EventData data) {
    String id = cause + "-" + type.type();
    var event = new LifecycleEvent(id, type, "/write-back", item.toString(), clock.instant(), data);
    var record =
        new ProducerRecord<>(
            topics.sessionEvents(),
            null,
            item.toString(),
            RecordJson.bytes(data),
            EventHeaders.of(event));
    DeadLetterPublisher.await(producer.send(record), "end of a write-back");
  }
}
