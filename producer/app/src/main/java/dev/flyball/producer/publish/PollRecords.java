package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A poll's output as records. An unreadable line has no key, so its record has the source's key.
 */
final class PollRecords {
  private final Topics topics;

  PollRecords(Topics topics) {
    this.topics = topics;
  }

  List<ProducerRecord<String, byte[]>> of(String source, PollOutput output, Instant at) {
    var records = new ArrayList<ProducerRecord<String, byte[]>>();
    for (PollOutput.Entry entry : output.snapshots()) {
      var item = record(topics.workItems(), entry.key().toString(), entry.snapshot());
      item.headers().add(EventHeaders.DIGEST, entry.digest().getBytes(StandardCharsets.UTF_8));
      records.add(item);
    }
    for (var line : output.unread()) {
      records.add(
          record(
              topics.deadLetters(),
              source,
              new DeadLetter(
                  line.reason(), line.place(), -1, line.line(), line.value(), "producer", at)));
    }
    return records;
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
