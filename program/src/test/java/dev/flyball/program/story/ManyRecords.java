package dev.flyball.program.story;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes many records and waits for them at the end. */
final class ManyRecords implements AutoCloseable {
  private final KafkaClients clients;
  private final KafkaProducer<String, byte[]> producer;

  ManyRecords(KafkaClients clients) {
    this.clients = clients;
    this.producer = clients.producer("append", Map.of("linger.ms", "20", "batch.size", "200000"));
  }

  void ledger(LedgerEntry entry) {
    var _ =
        producer.send(
            new ProducerRecord<>(
                clients.topics().sessionLedger(),
                0,
                "-",
                RecordJson.bytes(entry),
                EventHeaders.schema("ledger-entry/1")));
  }

  void request(String id, String key) {
    var request = Sample.request(id, Instant.EPOCH, snapshot(key));
    var _ =
        producer.send(
            new ProducerRecord<>(
                clients.topics().sessionRequests(),
                0,
                key,
                RecordJson.bytes(request),
                EventHeaders.schema("session-request/1")));
  }

  private static Snapshot snapshot(String key) {
    return Sample.snapshot(
        "1", "A title", "crash in fooBar", Fingerprint.of(new TreeMap<>(Map.of("text", key))));
  }

  void item(String key) {
    var _ =
        producer.send(
            new ProducerRecord<>(
                clients.topics().workItems(),
                null,
                key,
                RecordJson.bytes(snapshot(key)),
                EventHeaders.schema("work-item/1")));
  }

  @Override
  public void close() {
    producer.close();
  }
}
