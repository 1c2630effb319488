package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.producer.change.ChangePlan.Publication;
import dev.flyball.tracker.PollResult;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A poll's output and its cursor as records. An unreadable line has no key, so its record has the
 * source's key.
 */
final class PollRecords {
  private final Topics topics;

  PollRecords(Topics topics) {
    this.topics = topics;
  }

  /**
   * What a poll publishes.
   *
   * @param unread lines that become dead letters
   */
  List<ProducerRecord<String, byte[]>> of(
      String source, List<Publication> publications, List<PollResult.Unread> unread, Instant at) {
    var records = new ArrayList<ProducerRecord<String, byte[]>>();
    for (Publication each : publications) {
      var item = record(topics.workItems(), each.item().key().toString(), each.snapshot());
      String digest = each.item().digest();
      item.headers().add(EventHeaders.DIGEST, digest.getBytes(StandardCharsets.UTF_8));
      records.add(item);
    }
    for (var line : unread) {
      records.add(
          record(
              topics.deadLetters(),
              source,
              new DeadLetter(
                  line.reason(), line.place(), -1, line.line(), line.value(), "producer", at)));
    }
    return records;
  }

  /** A source's record in poll-state. */
  ProducerRecord<String, byte[]> of(String source, PollState state) {
    return record(topics.pollState(), source, state);
  }

  private ProducerRecord<String, byte[]> record(String topic, String key, Object value) {
    return new ProducerRecord<>(
        topic,
        null,
        key,
        RecordJson.bytes(value),
        EventHeaders.schema(topics.spec(topic).schema()));
  }
}
