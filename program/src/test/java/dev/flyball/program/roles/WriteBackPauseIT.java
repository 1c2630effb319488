package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
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
@DisplayName("S0-32: a pause of polls holds up write-back too, and the reverse")
class WriteBackPauseIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;

  /** Poll-state outlives a test. */
  private final String tenant = "acme-" + System.nanoTime();

  private final FaultServer tracker = FaultServer.http();
  private ProducerRole app;

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

  @BeforeEach
  void open() throws IOException {
    tracker.otherwise(request -> FaultReply.json("[]"));
    app = start();
  }

  @AfterEach
  void stop() {
    app.stop();
    tracker.close();
  }

  @Test
  void anAnalysisWaitsWhileItsTrackerIsPaused() {
    tracker.otherwise(request -> FaultReply.status(503, Map.of()));
    KafkaFixture.await()
        .until(() ->
            app.health().reasons().stream().anyMatch(it -> it.contains(": breaker open for")));
    awaitJoined();

    KAFKA.produce(KAFKA.topics().analyses(), tenant + "/web/12", analysis());

    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(app.health().reasons())
                .anySatisfy(it ->
                    assertThat(it)
                        .startsWith(
                            "source %1$s/web: write-back of %1$s/web/12 waits: ".formatted(tenant))
                        .contains("breaker open for another ")));
    assertThat(tracker.requests())
        .as("polls ask, write-back does not")
        .isNotEmpty()
        .noneMatch(request -> request.path().contains("/comments"));
  }

  @Test
  void pollsWaitWhileTheirTrackerAsksWriteBackToWait() {
    tracker.otherwise(request ->
        request.path().contains("/comments")
            ? FaultReply.json(429, Map.of("Retry-After", "120"), "{}")
            : FaultReply.json("[]"));
    awaitJoined();
    KafkaFixture.await().until(() -> polls() > 0);

    KAFKA.produce(KAFKA.topics().analyses(), tenant + "/web/12", analysis());

    KafkaFixture.await()
        .until(() ->
            app.health().reasons().stream()
                .anyMatch(it ->
                    it.startsWith("source " + tenant + "/web: ") && !it.contains("write-back")));
    int polls = polls();
    KafkaFixture.await()
        .during(Duration.ofSeconds(3))
        .untilAsserted(() -> assertThat(polls()).isEqualTo(polls));
  }

  private int polls() {
    return (int) tracker.requests().stream().filter(it -> !it.path().contains("/comments")).count();
  }

  private ProducerRole start() throws IOException {
    var rules = SourceRules.DEFAULT;
    var source =
        new SourceConfig.GitHub(
            new SourceConfig.Identity(tenant, "web", Duration.ofSeconds(1)),
            new SourceRules(
                rules.fingerprintFields(),
                rules.closedStates(),
                rules.unassignedIsClosed(),
                rules.me(),
                rules.revisit(),
                new WriteBack.Comment(),
                OptIn.ALL),
            tracker.url(),
            "org/web",
            new Credential.InFile(Files.writeString(folder.resolve("token"), "s3cret\n")));
    var config =
        new ProducerConfig(
            folder.resolve("data"),
            List.of(source),
            PollClocks.DEFAULT,
            new BreakerLimits(1, Duration.ofMinutes(30)),
            ProducerConfig.DEFAULT_BACKLOG,
            ProducerConfig.DEFAULT_TEXT_LIMIT,
            ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
    var made = new ProducerRole(config, KAFKA.settings(), new Telemetry());
    made.start();
    return made;
  }

  /** Waits until the group has joined: earlier analyses are not delivered. */
  private void awaitJoined() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            return admin
                    .listConsumerGroupOffsets(
                        KAFKA.topics().prefix() + "write-back." + tenant + ".web")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .size()
                == 12;
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
        Instant.EPOCH,
        null,
        null,
        null);
  }
}
