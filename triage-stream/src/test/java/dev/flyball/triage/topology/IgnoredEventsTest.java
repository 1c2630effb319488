package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.topic.Topics;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which records reach the stream's queues. */
final class IgnoredEventsTest {
  private static final String EVENTS = Topics.DEFAULT.sessionEvents();
  private static final String IGNORED = EventType.ITEM_DUPLICATE.type();
  private static final String HEARD = EventType.SESSION_RESULT.type();

  private final IgnoredEvents interceptor = new IgnoredEvents();

  @BeforeEach
  void configured() {
    interceptor.configure(Map.of(IgnoredEvents.TOPIC, EVENTS));
  }

  @Test
  void whatTheMachineIgnoresIsTakenOut() {
    assertThat(kept(EVENTS, IGNORED, HEARD, "flyball.of.a.newer.version.v1", HEARD))
        .containsExactly(1L, 3L);
  }

  @Test
  void theNewestStaysSoThatItsOffsetIsCommitted() {
    assertThat(kept(EVENTS, HEARD, IGNORED, IGNORED)).containsExactly(0L, 2L);
  }

  @Test
  void whatHasNoTypeStaysForItsDeadLetter() {
    assertThat(kept(EVENTS, null, HEARD)).containsExactly(0L, 1L);
  }

  @Test
  void otherTopicsStayWhole() {
    assertThat(kept(Topics.DEFAULT.workItems(), IGNORED, IGNORED)).containsExactly(0L, 1L);
  }

  @Test
  void itIsKnownHowFarThePartitionWasRead() {
    assertThat(interceptor.onConsume(records(EVENTS, IGNORED, IGNORED)).nextOffsets())
        .isEqualTo(records(EVENTS, IGNORED, IGNORED).nextOffsets());
  }

  @Test
  void whatStaysDoesNotKeepTheWholeAnswerOfItsFetch() {
    byte[] fetched = "ce_type".concat(HEARD).getBytes(StandardCharsets.UTF_8);
    var lazy =
        new RecordHeader(
            ByteBuffer.wrap(fetched, 0, 7), ByteBuffer.wrap(fetched, 7, HEARD.length()).slice());
    var record = record(EVENTS, 0, new RecordHeaders(new Header[] {lazy}));
    interceptor.onConsume(
        new ConsumerRecords<>(Map.of(new TopicPartition(EVENTS, 2), List.of(record)), Map.of()));
    Arrays.fill(fetched, (byte) '-');
    assertThat(lazy.key()).isEqualTo("ce_type");
    assertThat(lazy.value()).asString(StandardCharsets.UTF_8).isEqualTo(HEARD);
  }

  private List<Long> kept(String topic, @Nullable String... types) {
    var offsets = new ArrayList<Long>();
    interceptor.onConsume(records(topic, types)).forEach(each -> offsets.add(each.offset()));
    return offsets;
  }

  private static ConsumerRecords<byte[], byte[]> records(String topic, @Nullable String... types) {
    var partition = new TopicPartition(topic, 2);
    var all = new ArrayList<ConsumerRecord<byte[], byte[]>>();
    for (String type : types) {
      Headers headers = new RecordHeaders();
      if (type != null) {
        headers.add("ce_type", type.getBytes(StandardCharsets.UTF_8));
      }
      all.add(record(topic, all.size(), headers));
    }
    return new ConsumerRecords<>(
        Map.of(partition, all), Map.of(partition, new OffsetAndMetadata(all.size())));
  }

  private static ConsumerRecord<byte[], byte[]> record(String topic, long offset, Headers headers) {
    return new ConsumerRecord<>(
        topic,
        2,
        offset,
        0L,
        TimestampType.CREATE_TIME,
        1,
        1,
        new byte[1],
        new byte[1],
        headers,
        Optional.empty());
  }
}
