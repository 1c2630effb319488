package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("S0-32: an open breaker holds up write-back too, in every producer")
class WriteBackRestIT {
  private static final String KEY = "acme/web";
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;
  private final FaultServer tracker = FaultServer.http();
  private ProducerApp app;

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @BeforeEach
  void open() throws IOException {
    tracker.otherwise(request -> FaultReply.status(503, Map.of()));
    app = start();
  }

  @AfterEach
  void stop() {
    app.stop();
    tracker.close();
  }

  @Test
  void anAnalysisWaitsWhileItsTrackerIsLeftAlone() {
    KafkaFixture.await()
        .until(() ->
            app.health().reasons().stream().anyMatch(it -> it.contains(": breaker open for")));
    awaitJoined();

    KAFKA.produce(KAFKA.topics().analyses(), KEY + "/12", analysis());

    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(app.health().reasons())
                .anySatisfy(it ->
                    assertThat(it)
                        .startsWith("source " + KEY + ": write-back of " + KEY + "/12 waits: ")
                        .contains("breaker open for another ")));
    assertThat(tracker.requests())
        .as("polls ask, write-back does not")
        .isNotEmpty()
        .noneMatch(request -> request.path().contains("/comments"));
  }

  private ProducerApp start() throws IOException {
    var rules = SourceRules.DEFAULT;
    var source =
        new SourceConfig.GitHub(
            new SourceConfig.Identity("acme", "web", Duration.ofMinutes(5)),
            new SourceRules(
                rules.fingerprintFields(),
                rules.closedStates(),
                rules.unassignedIsClosed(),
                rules.me(),
                rules.revisit(),
                new WriteBack.Comment()),
            tracker.url(),
            "org/web",
            new Credential.InFile(Files.writeString(folder.resolve("token"), "s3cret\n")));
    var config =
        new ProducerConfig(
            folder.resolve("data"),
            List.of(source),
            PollClocks.DEFAULT,
            new BreakerLimits(1, Duration.ofMinutes(30)),
            ProducerConfig.DEFAULT_TEXT_LIMIT,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
    var made = new ProducerApp(config, KAFKA.settings(), new Telemetry());
    made.start();
    return made;
  }

  /** Waits until the group has joined: earlier analyses are not delivered. */
  private static void awaitJoined() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            return admin
                    .listConsumerGroupOffsets(KAFKA.topics().prefix() + "write-back.acme.web")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .size()
                == 6;
          }
        });
  }

  private static Analysis analysis() {
    return new Analysis(
        "1",
        Fingerprint.parse("1:title#00"),
        null,
        "answer",
        List.of(),
        0,
        "scout",
        null,
        "s-1",
        "ledger:1",
        Instant.EPOCH);
  }
}
