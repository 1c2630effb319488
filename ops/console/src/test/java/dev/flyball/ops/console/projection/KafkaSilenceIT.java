package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A console whose Kafka falls silent while nothing happens that could fail. */
@Tag("long")
class KafkaSilenceIT {
  @Test
  @DisplayName("polls that return nothing are no proof that Kafka has nothing new")
  void silenceIsNotUpToDate(@TempDir Path folder) throws Exception {
    try (var broker = BrokerProcess.start(folder.resolve("kafka"))) {
      var settings =
          new KafkaSettings(
              new Topics("flyball."), Map.of("bootstrap.servers", broker.bootstrapServers()), 1);
      provision(settings);
      Path data = folder.resolve("console");
      try (var projector =
          Projector.open(ConsoleConfig.defaults(data), settings, new Telemetry())) {
        projector.start();
        assertThat(projector.catchUp(Duration.ofSeconds(30))).isTrue();
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

  private static void provision(KafkaSettings settings) throws Exception {
    var clients = new KafkaClients(settings, "test");
    new TopicProvisioner(clients).provision();
    try (var admin = clients.admin("topics")) {
      var states = new NewTopic(clients.topics().itemState(), 6, (short) 1);
      admin.createTopics(List.of(states)).all().get();
    }
    try (var producer = clients.producer("init")) {
      byte[] init = RecordJson.bytes(new LedgerEntry.Init(3, 45_000, List.of()));
      producer.send(new ProducerRecord<>(clients.topics().sessionLedger(), "-", init)).get();
    }
  }

  private static Instant asOf(Path data) {
    try (var view = ConsoleView.open(data).orElseThrow()) {
      return Objects.requireNonNullElse(view.summary().asOf(), Instant.EPOCH);
    }
  }
}
