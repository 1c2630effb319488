package dev.flyball.ops.console.metrics.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.metrics.FactRules;
import dev.flyball.ops.console.metrics.MetricFact;
import dev.flyball.ops.console.metrics.stream.MetricsTopology.FactReader;
import dev.flyball.ops.console.metrics.stream.MetricsTopology.WindowFold;
import dev.flyball.ops.console.metrics.stream.MetricsTopology.WindowRows;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTopologyTest {
  private static final Instant T = Instant.parse("2026-11-25T02:13:00Z");
  private static final Duration TICK = Duration.ofSeconds(2);
  private static final Duration HOUR_TICK = TICK.multipliedBy(WindowFold.HOUR_TICKS);

  @TempDir Path folder;
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> events;
  private TestOutputTopic<String, byte[]> metrics;

  @BeforeEach
  void open() {
    var settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "test-metrics");
    settings.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    driver =
        new TopologyTestDriver(
            MetricsTopology.build(Topics.DEFAULT, TICK), settings, T.plusSeconds(90));
    events =
        driver.createInputTopic(
            Topics.DEFAULT.sessionEvents(), new ByteArraySerializer(), new ByteArraySerializer());
    metrics =
        driver.createOutputTopic(
            Topics.DEFAULT.metrics(), new StringDeserializer(), new ByteArrayDeserializer());
  }

  @AfterEach
  void close() {
    driver.close();
  }

  @Test
  void manyEventsOfAMinuteAreOneRecordOfItATick() {
    for (int i = 0; i < 1_000; i++) {
      event(EventType.ITEM_CHANGED, "acme/web/" + i, T.plusMillis(i), EventData.EMPTY);
    }
    assertThat(metrics.isEmpty()).isTrue();
    driver.advanceWallClockTime(TICK);

    TestRecord<String, byte[]> record = metrics.readRecord();
    assertThat(record.key()).isEqualTo("1m/2026-11-25T02:13:00Z/acme");
    assertThat(EventHeaders.text(record.headers(), EventHeaders.SCHEMA))
        .isEqualTo("metric-window/1");
    assertThat(window(record).counts()).isEqualTo(Map.of("item.changed", 1_000L));
    assertThat(metrics.isEmpty()).isTrue();
  }

  @Test
  void withoutNewEventsNothingIsWritten() {
    event(EventType.ITEM_CHANGED, "acme/web/1", T, EventData.EMPTY);
    driver.advanceWallClockTime(HOUR_TICK.multipliedBy(2));
    assertThat(metrics.readValuesToList()).hasSize(2);

    driver.advanceWallClockTime(HOUR_TICK.multipliedBy(20));

    assertThat(metrics.isEmpty()).isTrue();
  }

  @Test
  void anHourFollowsItsMinutes() {
    event(EventType.ITEM_CHANGED, "acme/web/1", T, EventData.EMPTY);
    event(EventType.ITEM_CHANGED, "acme/web/1", T.plusSeconds(65), EventData.EMPTY);
    event(EventType.ITEM_CHANGED, "other/web/1", T.plusSeconds(65), EventData.EMPTY);
    driver.advanceWallClockTime(HOUR_TICK);

    Map<String, byte[]> newest = metrics.readKeyValuesToMap();
    assertThat(newest)
        .containsOnlyKeys(
            "1m/2026-11-25T02:13:00Z/acme",
            "1m/2026-11-25T02:14:00Z/acme",
            "1m/2026-11-25T02:14:00Z/other",
            "1h/2026-11-25T02:00:00Z/acme",
            "1h/2026-11-25T02:00:00Z/other");
    assertThat(
            RecordJson.read(
                    Objects.requireNonNull(newest.get("1h/2026-11-25T02:00:00Z/acme")),
                    MetricWindow.class)
                .counts())
        .isEqualTo(Map.of("item.changed", 2L));
  }

  @Test
  void aSessionIsCountedInEveryMinuteThatItLives() {
    EventData session = EventData.EMPTY.with(Field.SESSION, "s1");
    event(EventType.SESSION_CLAIMED, "acme/web/1", T.plusSeconds(1), session);
    event(EventType.SESSION_PROGRESSED, "acme/web/1", T.plusSeconds(125), session);
    event(EventType.SESSION_LEASE_ENDED, "acme/web/1", T.plusSeconds(130), session);
    event(EventType.SESSION_COMPLETED, "acme/web/1", T.plusSeconds(131), session);
    event(EventType.ITEM_CHANGED, "acme/web/1", T.plusSeconds(185), EventData.EMPTY);
    driver.advanceWallClockTime(TICK);

    assertThat(metrics.readValuesToList())
        .extracting(value -> RecordJson.read(value, MetricWindow.class))
        .extracting(MetricWindow::concurrencyPeak)
        .containsExactly(1L, 1L, 1L, 0L);
  }

  @Test
  void eventsThatCannotBeReadAreCountedAsOther() {
    Headers headers = EventHeaders.of(changed("acme/web/1", T));
    headers
        .remove("ce_type")
        .add("ce_type", "flyball.item.invented.v9".getBytes(StandardCharsets.UTF_8));
    events.pipeInput(new TestRecord<>(key("acme/web/1"), key("{}"), headers, T));
    events.pipeInput(new TestRecord<>(key("acme/web/1"), key("no JSON"), T));
    events.pipeInput(new TestRecord<>(null, key("{}"), T));
    events.pipeInput(new TestRecord<>(key("acme/web/1"), null, T));
    driver.advanceWallClockTime(TICK);

    assertThat(metrics.readRecordsToList())
        .extracting(record -> record.key() + window(record).counts())
        .containsExactlyInAnyOrder(
            "1m/2026-11-25T02:13:00Z/acme{other=2}", "1m/2026-11-25T02:13:00Z/-{other=1}");
  }

  @Test
  void anEventOfYesterdayLandsInItsWindowAndAnOlderOneIsLate() {
    Instant written = T.plus(Duration.ofDays(1));
    events.pipeInput(record(changed("acme/web/1", T), written));
    events.pipeInput(record(changed("acme/web/1", T.minusSeconds(1)), written));
    driver.advanceWallClockTime(TICK);

    assertThat(metrics.readRecordsToList())
        .extracting(record -> record.key() + window(record).counts())
        .containsExactly(
            "1m/2026-11-25T02:13:00Z/acme{item.changed=1}", "1m/2026-11-26T02:13:00Z/acme{late=1}");
  }

  @Test
  void aFactThatComesAgainIsNotCountedAgain() {
    TestInputTopic<String, byte[]> facts =
        driver.createInputTopic(
            "test-metrics-facts-repartition", new StringSerializer(), new ByteArraySerializer());
    MetricFact fact = FactRules.of(changed("acme/web/1", T), T);
    for (String from : List.of("0/7", "1/7", "0/8", "0/7", "1/7", "0/8", "0/9")) {
      Headers headers = new RecordHeaders().add(FactReader.FROM, key(from));
      facts.pipeInput(new TestRecord<>("acme", RecordJson.bytes(fact), headers, T));
    }
    driver.advanceWallClockTime(TICK);

    assertThat(window(metrics.readRecord()).counts()).isEqualTo(Map.of("item.changed", 4L));
  }

  @Test
  void oldWindowsLeaveTheStoreOnceNoOldEventsCome() {
    event(EventType.SESSION_CLAIMED, "acme/web/1", T, EventData.EMPTY.with(Field.SESSION, "s1"));
    driver.advanceWallClockTime(HOUR_TICK);
    assertThat(rows()).hasSize(2);

    driver.advanceWallClockTime(Duration.ofHours(47));
    assertThat(rows()).hasSize(2);
    driver.advanceWallClockTime(Duration.ofHours(3));
    assertThat(rows()).isEmpty();
  }

  @Test
  void whatWasNotWrittenBeforeAStopIsWrittenAfterIt() {
    event(EventType.ITEM_CHANGED, "acme/web/1", T, EventData.EMPTY);
    List<String> unwritten = keys().stream().filter(key -> key.startsWith("u/")).sorted().toList();

    assertThat(unwritten)
        .containsExactly("u/1h/2026-11-25T02:00:00Z/acme", "u/1m/2026-11-25T02:13:00Z/acme");
    var again = new WindowRows(driver.getKeyValueStore(MetricsTopology.STORE));
    assertThat(again.unwritten(10, each -> true)).hasSize(2);
  }

  private List<String> rows() {
    return keys().stream().filter(key -> key.startsWith("w/") || key.startsWith("s/")).toList();
  }

  private List<String> keys() {
    var found = new ArrayList<String>();
    try (var all = driver.<String, byte[]>getKeyValueStore(MetricsTopology.STORE).all()) {
      all.forEachRemaining(row -> found.add(row.key));
    }
    return found;
  }

  private void event(EventType type, String subject, Instant at, EventData data) {
    events.pipeInput(record(new LifecycleEvent("e", type, "/triage", subject, at, data), at));
  }

  private static LifecycleEvent changed(String subject, Instant at) {
    return new LifecycleEvent("e", EventType.ITEM_CHANGED, "/triage", subject, at, EventData.EMPTY);
  }

  private static TestRecord<byte[], byte[]> record(LifecycleEvent event, Instant written) {
    return new TestRecord<>(
        key(event.subject()), RecordJson.bytes(event.data()), EventHeaders.of(event), written);
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static MetricWindow window(TestRecord<String, byte[]> record) {
    return RecordJson.read(record.value(), MetricWindow.class);
  }
}
