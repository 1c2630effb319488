package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * What tests of polls against a real broker share: each test has a tenant with the source {@code
 * web}, and a tracker in memory behind it.
 */
abstract class PollFixture {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final AtomicInteger TESTS = new AtomicInteger();

  @TempDir Path folder;
  final Telemetry telemetry = new Telemetry();
  final String tenant = "t" + TESTS.incrementAndGet();
  final String key = tenant + "/web";
  final DeltaTracker tracker = new DeltaTracker(tenant, "web");
  private final List<ProducerApp> apps = new ArrayList<>();

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @AfterEach
  final void stopApps() {
    apps.forEach(ProducerApp::stop);
  }

  /** The source, without a breaker. */
  final SourceConfig file(Duration interval, SourceRules rules) {
    var identity = new SourceConfig.Identity(tenant, "web", interval);
    return new SourceConfig.Jsonl(identity, rules, Path.of("-"));
  }

  /** The same, polled each second. */
  final SourceConfig file() {
    return file(Duration.ofSeconds(1), SourceRules.DEFAULT);
  }

  /** The source with a breaker. */
  final SourceConfig tracked(Duration interval, String project) {
    return new SourceConfig.Redmine(
        new SourceConfig.Identity(tenant, "web", interval),
        SourceRules.DEFAULT,
        URI.create("http://tracker.test"),
        project,
        "",
        new Credential.None());
  }

  /** A configuration with these sources alone. */
  final ProducerConfig config(String data, SourceConfig... sources) {
    return ProducerConfig.defaults(folder.resolve(data), List.of(sources));
  }

  /** A configuration of one source. */
  final ProducerConfig config(
      String data, SourceConfig source, Breaker.Limits breaker, int backlog, List<String> fields) {
    return new ProducerConfig(
        folder.resolve(data),
        List.of(source),
        PollClocks.DEFAULT,
        breaker,
        backlog,
        ProducerConfig.DEFAULT_TEXT_LIMIT,
        fields);
  }

  /** Starts a producer of the tracker in memory. */
  final ProducerApp start(ProducerConfig config, boolean byItself) {
    return start(config, byItself, (source, clock) -> tracker);
  }

  /** The same with another way to open sources. */
  final ProducerApp start(
      ProducerConfig config,
      boolean byItself,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    return started(new ProducerApp(config, KAFKA.settings(), telemetry, byItself, opener));
  }

  /** Starts a producer, which ends with the test. */
  final ProducerApp started(ProducerApp app) {
    apps.add(app);
    app.start();
    return app;
  }

  /**
   * Polls until nothing passing prevents it: a broker under load refuses a transaction now and then
   * ({@code INVALID_TXN_STATE} was seen), and the schedule polls again soon.
   */
  final PollReport.Finished poll(ProducerApp app) {
    PollReport report =
        KafkaFixture.await()
            .until(
                () -> app.pollNow(key),
                it -> !(it instanceof PollReport.Skipped skipped && skipped.whyNot().passes()));
    assertThat(report).isInstanceOf(PollReport.Finished.class);
    return (PollReport.Finished) report;
  }

  /** All records of a topic whose key is the source's or of one of its items. */
  final Stream<ConsumerRecord<String, byte[]>> records(String topic) {
    return KAFKA.records(topic).stream()
        .filter(record -> (record.key() + "/").startsWith(key + "/"));
  }

  /** What was published of all items. */
  final List<Snapshot> snapshots() {
    return records(KAFKA.topics().workItems())
        .map(record -> RecordJson.read(record.value(), Snapshot.class))
        .toList();
  }

  /** What was published of one item. */
  final List<Snapshot> snapshots(String id) {
    return records(KAFKA.topics().workItems())
        .filter(record -> record.key().equals(key + "/" + id))
        .map(record -> RecordJson.read(record.value(), Snapshot.class))
        .toList();
  }

  /** The events of the source, in their order. */
  final List<EventType> events() {
    return records(KAFKA.topics().sessionEvents())
        .map(record -> EventHeaders.typeOf(record.headers()).orElseThrow())
        .toList();
  }
}
