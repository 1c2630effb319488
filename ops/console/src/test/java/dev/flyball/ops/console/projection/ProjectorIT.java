package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.sqlite.Database;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The projection where its disk fails, a topic lost records that were read or not, or Kafka falls
 * silent.
 */
class ProjectorIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final AtomicInteger COUNT = new AtomicInteger();

  @TempDir Path folder;

  private final Telemetry telemetry = new Telemetry();
  private final Instant base = Instant.now().truncatedTo(ChronoUnit.SECONDS).minusSeconds(60);
  private final String key = "a/b/" + COUNT.incrementAndGet();

  @BeforeAll
  static void provision() {
    KAFKA.produce(KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
  }

  @Test
  void theLagGrowsWhileTheDiskAcceptsNoCommit() throws Exception {
    try (var projector = start()) {
      assertThat(projector.catchUp(PATIENCE)).isTrue();
      sql("CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(FAIL, 'disk full'); END");
      changed(0);

      // Longer than a retry, which must not begin with 0 again.
      KafkaFixture.await().until(() -> figure(Metric.EVENT_LAG_SECONDS) > 3);

      assertThat(figure(Metric.EVENT_LAG_RECORDS)).isEqualTo(1);
      assertThat(projector.health().status()).isEqualTo(Health.Status.UNHEALTHY);
      sql("DROP TRIGGER full");
      KafkaFixture.await().until(() -> figure(Metric.EVENT_LAG_RECORDS) == 0);
      assertThat(figure(Metric.EVENT_LAG_SECONDS)).isZero();
    }
  }

  @Test
  void aTopicThatEndsBeforeWhatWasReadIsNotReadOnTopOfItsRows() throws Exception {
    try (var projector = start()) {
      changed(0);
      assertThat(projector.catchUp(PATIENCE)).isTrue();
    }
    sql("UPDATE position SET next = next + 1000 WHERE topic LIKE '%session-events'");

    try (var projector = start()) {
      assertThat(projector.catchUp(PATIENCE)).isTrue();
    }

    assertThat(times()).containsExactly(0L);
  }

  @Test
  void recordsDeletedBeforeTheyWereReadAreSkippedAndRowsStay() throws Exception {
    try (var projector = start()) {
      changed(0);
      assertThat(projector.catchUp(PATIENCE)).isTrue();
    }
    changed(1);
    long kept = changed(2);
    try (var admin = KAFKA.clients("test").admin("cut")) {
      admin.deleteRecords(Map.of(partition(), RecordsToDelete.beforeOffset(kept))).all().get();
    }

    try (var projector = start()) {
      assertThat(projector.catchUp(PATIENCE)).isTrue();
      assertThat(projector.health()).isEqualTo(Health.healthy());
    }

    assertThat(times()).containsExactly(0L, 2L);
  }

  @Test
  void itIsNotReadyBeforeTheLedgerIsRead() throws Exception {
    try (var producer = KAFKA.clients("test").producer("load")) {
      var entry = RecordJson.bytes(new LedgerEntry.Expire("none", 1));
      for (int i = 0; i < 20_000; i++) {
        var _ = producer.send(new ProducerRecord<>(KAFKA.topics().sessionLedger(), "-", entry));
      }
    }
    var projection = new Projection(folder, 10, 10);
    try (projection;
        var input = new ProjectionInput(KAFKA.clients("console"), projection, () -> {})) {
      input.poll(Duration.ofMillis(100));
      input.commit(false);
      assertThat(input.health(Instant.now()).status()).isEqualTo(Health.starting("-").status());
      KafkaFixture.await()
          .until(() -> {
            input.poll(Duration.ofMillis(100));
            input.commit(false);
            return input.health(Instant.now()).equals(Health.healthy());
          });
      assertThat(input.health(Instant.now().plusSeconds(60)).ready()).isFalse();
      assertThat(input.health(Instant.now().plusSeconds(60)).status())
          .isEqualTo(Health.Status.DEGRADED);
    }
  }

  private Projector start() {
    KafkaSettings settings = KAFKA.settings();
    var projector = Projector.open(ConsoleConfig.defaults(folder), settings, telemetry);
    projector.start();
    return projector;
  }

  /** Writes an event of this second; returns its offset. */
  private long changed(long second) {
    var event =
        new LifecycleEvent(
            key + second,
            EventType.ITEM_CHANGED,
            "/producer",
            key,
            base.plusSeconds(second),
            EventData.EMPTY);
    return KAFKA
        .send(
            new ProducerRecord<>(
                KAFKA.topics().sessionEvents(),
                partition().partition(),
                key,
                RecordJson.bytes(event.data()),
                EventHeaders.of(event)))
        .offset();
  }

  /** The seconds of the item's events in the projection. */
  private List<Long> times() {
    try (var view = ConsoleView.open(folder).orElseThrow()) {
      return view.item(key).orElseThrow().events().stream()
          .map(event -> Duration.between(base, event.time()).toSeconds())
          .toList();
    }
  }

  private void sql(String statement) {
    try (var file = Database.open(folder.resolve("console.db"), ProjectionFile.schema(), "none")) {
      file.update(statement);
    }
  }

  private TopicPartition partition() {
    return new TopicPartition(
        KAFKA.topics().sessionEvents(), Integer.parseInt(key.substring("a/b/".length())));
  }

  private double figure(Metric metric) {
    return telemetry.gauge(metric).orElse(-1);
  }

  @Test
  @Tag("long")
  @DisplayName("polls that return nothing are no proof that Kafka has nothing new")
  void silenceIsNotUpToDate() throws Exception {
    try (var broker = BrokerProcess.start(folder.resolve("kafka"))) {
      var settings = KafkaSettings.of(broker.bootstrapServers());
      var clients = new KafkaClients(settings, "test");
      new TopicProvisioner(clients).provision();
      // All topics are there, so nothing asks for them while Kafka is silent.
      try (var admin = clients.admin("topics")) {
        var states = new NewTopic(clients.topics().itemState(), 6, (short) 1);
        admin.createTopics(List.of(states)).all().get();
      }
      Path data = folder.resolve("console");
      try (var projector = Projector.open(ConsoleConfig.defaults(data), settings, telemetry)) {
        projector.start();
        assertThat(projector.catchUp(PATIENCE)).isTrue();
        assertThat(projector.health()).isEqualTo(Health.healthy());
        Instant first = asOf(data);
        KafkaFixture.await().until(() -> asOf(data).isAfter(first));

        broker.freeze();
        Instant frozen = Instant.now();
        KafkaFixture.await().until(() -> !projector.health().ready());

        assertThat(asOf(data)).isBefore(frozen);
        assertThat(projector.health().status()).isEqualTo(Health.Status.DEGRADED);
        assertThat(projector.health().reasons()).singleElement().asString().contains("since 20");

        broker.thaw();
        KafkaFixture.await().until(() -> projector.health().equals(Health.healthy()));
        assertThat(asOf(data)).isAfter(frozen);
      }
    }
  }

  private static Instant asOf(Path data) {
    try (var view = ConsoleView.open(data).orElseThrow()) {
      return Objects.requireNonNullElse(view.summary().asOf(), Instant.EPOCH);
    }
  }
}
