package dev.flyball.triage.topology;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/**
 * Takes events that the machine ignores out of what the stream reads, before they take their turn
 * in its queues. Most of session-events are this stream's own: one for each snapshot that it drops.
 *
 * <p>The newest record of each partition stays. Streams commits how far it has come by the records
 * that it has seen; without one, the committed offset would stand still, until its record is
 * deleted and the next start reports a gap.
 *
 * <p>A header that was not read yet refers to the whole answer of the fetch in which it came, up to
 * 50 MB. A queue of single records out of many such answers would fill the heap, so the headers of
 * those that stay are read here.
 */
public final class IgnoredEvents implements ConsumerInterceptor<byte[], byte[]> {
  /** Setting of the consumer: the name of session-events. */
  static final String TOPIC = "flyball.session.events";

  private String events = "";

  @Override
  public void configure(Map<String, ?> settings) {
    events = String.valueOf(settings.get(TOPIC));
  }

  @Override
  public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
    var kept = new HashMap<TopicPartition, List<ConsumerRecord<byte[], byte[]>>>();
    for (TopicPartition partition : records.partitions()) {
      List<ConsumerRecord<byte[], byte[]>> all = records.records(partition);
      kept.put(partition, partition.topic().equals(events) ? heard(all) : all);
    }
    return new ConsumerRecords<>(kept, records.nextOffsets());
  }

  private static List<ConsumerRecord<byte[], byte[]>> heard(
      List<ConsumerRecord<byte[], byte[]>> all) {
    return IntStream.range(0, all.size())
        .filter(i -> i == all.size() - 1 || !Inputs.ignored(all.get(i).headers()))
        .mapToObj(i -> detached(all.get(i)))
        .toList();
  }

  private static ConsumerRecord<byte[], byte[]> detached(ConsumerRecord<byte[], byte[]> record) {
    for (Header header : record.headers()) {
      header.key();
      header.value();
    }
    return record;
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void close() {}
}
