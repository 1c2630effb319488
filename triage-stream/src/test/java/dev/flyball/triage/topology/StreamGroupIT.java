package dev.flyball.triage.topology;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.Record;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A version whose topology differs goes on where the one before it stood. */
@Tag("long")
final class StreamGroupIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir private Path data = Path.of("");

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @Test
  void anotherVersionsGroupIsRecreatedWithItsOffsets() {
    KAFKA.produce(KAFKA.topics().workItems(), "acme/items/1", DrivenStream.snapshot("a"));
    olderVersionReads(1);
    KAFKA.produce(KAFKA.topics().workItems(), "acme/items/2", DrivenStream.snapshot("b"));
    for (int start = 1; start <= 2; start++) {
      try (TriageApp app = app()) {
        app.start();
        await().untilAsserted(() -> assertThat(app.health().reasons()).isEmpty());
        await().untilAsserted(() -> assertThat(changed()).containsExactly("acme/items/2"));
      }
    }
  }

  private TriageApp app() {
    return new TriageApp(TriageConfig.defaults(data), KAFKA.settings(), new Telemetry());
  }

  private static List<String> changed() {
    return KAFKA.events().stream()
        .filter(event -> event.type() == EventType.ITEM_CHANGED)
        .map(LifecycleEvent::subject)
        .toList();
  }

  /** One source less than today's, and nothing comes of what it reads. */
  private void olderVersionReads(int records) {
    var read = new ConcurrentLinkedQueue<byte[]>();
    var topology = new Topology();
    topology.addSource(
        "from",
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        KAFKA.topics().workItems());
    topology.addProcessor("old", () -> reading(read), "from");
    var properties = new Properties();
    properties.putAll(
        KAFKA
            .clients("triage")
            .streamsProperties(
                Map.of(),
                Map.of(
                    StreamsConfig.APPLICATION_ID_CONFIG,
                    KAFKA.topics().applicationId(),
                    StreamsConfig.STATE_DIR_CONFIG,
                    data.resolve("old").toString(),
                    StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                    StreamsConfig.EXACTLY_ONCE_V2,
                    StreamsConfig.GROUP_PROTOCOL_CONFIG,
                    "streams",
                    StreamsConfig.consumerPrefix("auto.offset.reset"),
                    "earliest")));
    try (var streams = new KafkaStreams(topology, properties)) {
      streams.start();
      await().until(() -> read.size() >= records);
      streams.close(Duration.ofSeconds(20));
    }
  }

  private static Processor<byte[], byte[], Void, Void> reading(ConcurrentLinkedQueue<byte[]> read) {
    return new Processor<>() {
      @Override
      public void process(Record<byte[], byte[]> record) {
        read.add(record.value());
      }
    };
  }
}
