package dev.flyball.ops.console.metrics.stream;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.metrics.FactRules;
import dev.flyball.ops.console.metrics.MetricFact;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;

/**
 * Reads events into facts, each about a tenth of its event. An event that cannot be read is counted
 * as other: triage-stream reads session-events too, and writes its dead letter. One stream thread.
 */
final class FactReader implements Processor<byte[], byte[], String, byte[]> {
  /** The header of a fact that names its event's partition and offset, for example 3/17. */
  static final String FROM = "from";

  private @Nullable ProcessorContext<String, byte[]> context;

  @Override
  public void init(ProcessorContext<String, byte[]> with) {
    context = with;
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    ProcessorContext<String, byte[]> to = context;
    if (to == null || record.value() == null) {
      return;
    }
    MetricFact fact = fact(record);
    to.forward(new Record<>(fact.tenant(), RecordJson.bytes(fact), record.timestamp(), from(to)));
  }

  /** Where the event was read: the partition and the offset. */
  private static Headers from(ProcessorContext<?, ?> context) {
    var headers = new RecordHeaders();
    context
        .recordMetadata()
        .map(at -> at.partition() + "/" + at.offset())
        .ifPresent(at -> headers.add(FROM, at.getBytes(StandardCharsets.UTF_8)));
    return headers;
  }

  private static MetricFact fact(Record<byte[], byte[]> record) {
    Instant written = Instant.ofEpochMilli(record.timestamp());
    try {
      return FactRules.of(EventHeaders.read(record.headers(), record.value()), written);
    } catch (RuntimeException e) {
      // Whatever the cause: it would end the stream thread at every start.
      String subject =
          record.key() == null ? "-" : new String(record.key(), StandardCharsets.UTF_8);
      return FactRules.unknown(subject, written);
    }
  }
}
