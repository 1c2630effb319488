package dev.flyball.triage.topology;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.ops.telemetry.Metric;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Writes this app's records to sinks. One for each processor, used only by its stream thread. Every
 * record carries its schema, and the trace of its item's revision. Records are held until {@link
 * #flush}, so that a decision is written whole or not at all.
 */
final class RecordSink {
  /** Header with the old position of a record that another partitioner had put elsewhere. */
  private static final String MOVED = "movedFrom";

  /** Largest record, in bytes; below Kafka's 1 MiB by what a batch adds. */
  static final int MOST = 1_000_000;

  private final ProcessorContext<byte[], byte[]> context;
  private final Topics topics;
  private final Consumer<Metric> counts;
  private final String part;
  private final List<Held> held = new ArrayList<>();

  RecordSink(
      ProcessorContext<byte[], byte[]> context, TriageTopology.Settings settings, String part) {
    this.context = context;
    this.topics = settings.topics();
    this.counts = settings.counts();
    this.part = part;
  }

  private record Held(String sink, Record<byte[], byte[]> record) {}

  /** Sends the held records. */
  void flush() {
    List<Held> all = List.copyOf(held);
    held.clear();
    all.forEach(each -> context.forward(each.record(), each.sink()));
  }

  void drop() {
    held.clear();
  }

  /** Holds a record of a topic about a revision of an item. */
  void send(String topic, ItemKey item, Object value, String revision) {
    String key = item.toString();
    hold(
        topic,
        key.getBytes(StandardCharsets.UTF_8),
        RecordJson.bytes(value),
        EventHeaders.trace(schema(topic), key, revision));
  }

  void tombstone(String topic, ItemKey item) {
    hold(topic, item.toString().getBytes(StandardCharsets.UTF_8), null, schema(topic));
  }

  private Headers schema(String topic) {
    return EventHeaders.schema(topics.spec(topic).schema());
  }

  /**
   * Sends the current record to its own topic again, to its key's partition.
   *
   * @throws UnreadableRecord if it was moved before
   */
  void move(Record<byte[], byte[]> record, int home) {
    RecordMetadata at = context.recordMetadata().orElseThrow();
    if (record.headers().lastHeader(MOVED) != null) {
      throw new UnreadableRecord(
          "its key belongs in partition " + home + "; write it with the murmur2 partitioner");
    }
    Headers headers = new RecordHeaders(record.headers().toArray());
    headers.add(MOVED, (at.partition() + "@" + at.offset()).getBytes(StandardCharsets.UTF_8));
    hold(at.topic(), record.key(), record.value(), headers);
  }

  void event(LifecycleEvent event) {
    hold(
        topics.sessionEvents(),
        event.subject().getBytes(StandardCharsets.UTF_8),
        RecordJson.bytes(event.data()),
        EventHeaders.of(event));
  }

  /** Holds a dead letter for the current record, which cannot be used. */
  void deadLetter(Record<byte[], byte[]> record, String reason) {
    RecordMetadata at = context.recordMetadata().orElseThrow();
    deadLetter(
        record.key(),
        DeadLetterPublisher.letter(
            reason, at.topic(), at.partition(), at.offset(), record.value(), "triage", now()));
  }

  void deadLetter(byte @Nullable [] key, DeadLetter letter) {
    counts.accept(Metric.DEAD_LETTERS);
    hold(
        topics.deadLetters(),
        DeadLetterPublisher.key(key),
        RecordJson.bytes(letter),
        schema(topics.deadLetters()));
  }

  Instant now() {
    return Instant.ofEpochMilli(context.currentSystemTimeMs());
  }

  // Kafka's Record has no nullness marks, yet accepts null keys and values.
  @SuppressWarnings("NullAway")
  private void hold(String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
    check(topic, key, value, headers);
    held.add(
        new Held(
            TriageTopology.sink(part, topic),
            new Record<>(key, value, context.currentSystemTimeMs(), headers)));
  }

  /**
   * Rejects a record that no broker accepts by default. If it were sent, it would end the stream
   * thread, and every thread that replaces it, at the same input.
   */
  static void check(
      String where, byte @Nullable [] key, byte @Nullable [] value, Iterable<Header> headers) {
    long size = length(key) + length(value);
    for (Header header : headers) {
      size += header.key().length() + length(header.value());
    }
    if (size > MOST) {
      throw new TooLarge(
          "a record of " + size + " bytes for " + where + " is above the limit of " + MOST);
    }
  }

  private static long length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  /** A record would be larger than any broker accepts by default. */
  static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private TooLarge(String line) {
      super(line);
    }
  }
}
