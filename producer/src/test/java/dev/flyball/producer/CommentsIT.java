package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TrackerFailure;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Comments of people become part of what is published of an item. */
class CommentsIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final AtomicInteger TESTS = new AtomicInteger();

  @TempDir Path folder;
  private final String tenant = "comments" + TESTS.incrementAndGet();
  private final DeltaTracker tracker = new DeltaTracker(tenant, "web");
  private ProducerApp app;

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @BeforeEach
  void start() {
    start(ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
  }

  private void start(List<String> fields) {
    SourceConfig source = SourceConfig.Jsonl.of(Path.of("-"));
    source =
        new SourceConfig.Jsonl(
            new SourceConfig.Identity(tenant, "web", source.interval()),
            source.rules(),
            Path.of("-"));
    var config =
        new ProducerConfig(
            folder,
            List.of(source),
            PollClocks.DEFAULT,
            BreakerLimits.DEFAULT,
            ProducerConfig.DEFAULT_TEXT_LIMIT,
            fields);
    app =
        new ProducerApp(config, KAFKA.settings(), new Telemetry(), false, (any, clock) -> tracker);
    app.start();
  }

  @AfterEach
  void stop() {
    app.stop();
  }

  @Test
  void onlyItemsThatArePublishedAndOpenAreAskedForTheirComments() {
    tracker.comments = List.of(new HumanComment("anna", null, "It fails since 2.1."));
    tracker.put("1", "one", Instant.now());
    tracker.put("2", "two", "Closed", Instant.now());
    poll();
    tracker.put("3", "three", Instant.now());
    poll();

    assertThat(tracker.commentsRead).containsExactly("1", "3");
    assertThat(texts("1"))
        .containsExactly("Comments, newest first:\n\nanna:\n  It fails since 2.1.");
    assertThat(texts("2")).containsExactly("");
  }

  @Test
  void whereCommentsAreComparedAFailureFailsThePollAndTheNextOneReadsTheSame() {
    app.stop();
    start(List.of("title", "comments"));
    tracker.comments = List.of(new HumanComment("anna", null, "It fails since 2.1."));
    tracker.put("1", "one", Instant.now());
    poll();
    tracker.put("1", "one", Instant.now().plusSeconds(1));
    tracker.commentsFailure = TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "web is away");

    assertThat(app.pollNow(tenant + "/web")).isInstanceOf(PollReport.Failed.class);
    assertThat(fingerprints("1")).as("nothing is published").hasSize(1);
    assertThat(app.health().reasons()).anyMatch(reason -> reason.contains("web is away"));
    tracker.commentsFailure = null;
    poll();

    assertThat(fingerprints("1")).as("the item did not change").hasSize(2);
    assertThat(Set.copyOf(fingerprints("1"))).hasSize(1);
    assertThat(app.health().reasons()).isEmpty();
  }

  private void poll() {
    assertThat(app.pollNow(tenant + "/web")).isInstanceOf(PollReport.Finished.class);
  }

  private List<String> texts(String id) {
    return snapshots(id).stream().map(Snapshot::text).toList();
  }

  private List<Fingerprint> fingerprints(String id) {
    return snapshots(id).stream().map(Snapshot::fingerprint).toList();
  }

  private List<Snapshot> snapshots(String id) {
    var key = new ItemKey(tenant, "web", id).toString();
    return KAFKA.records(KAFKA.topics().workItems()).stream()
        .filter(record -> key.equals(record.key()))
        .map(record -> RecordJson.read(record.value(), Snapshot.class))
        .toList();
  }
}
