package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.program.roles.AppFactory.ProducerRole;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("A producer that delivers analyses to the trackers that it polls")
class WriteBackIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  @TempDir Path folder;

  /** Poll-state outlives a test. */
  private final String tenant = "acme-" + System.nanoTime();

  @AutoClose private final FaultServer server = FaultServer.http();
  private final List<ProducerRole> started = new ArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(ProducerRole::stop);
  }

  @Test
  @DisplayName("S0-32: a pause of write-back holds up polls too")
  void pollsWaitWhileTheirTrackerAsksWriteBackToWait() throws IOException {
    ProducerRole role = startGitHub();
    server.otherwise(request ->
        request.path().contains("/comments")
            ? FaultReply.json(429, Map.of("Retry-After", "120"), "{}")
            : FaultReply.json("[]"));
    KafkaFixture.await().until(() -> polls() > 0);

    analysed("12");

    KafkaFixture.await()
        .until(() ->
            role.health().reasons().stream()
                .anyMatch(it ->
                    it.startsWith("source " + tenant + "/web: ") && !it.contains("write-back")));
    long polls = polls();
    KafkaFixture.await()
        .during(Duration.ofSeconds(3))
        .untilAsserted(() -> assertThat(polls()).isEqualTo(polls));
  }

  @Test
  @DisplayName("An operator delivers analyses again whose write-back was given up")
  void anAnalysisThatWasGivenUpArrives() throws IOException {
    server.otherwise(_ -> FaultReply.status(200, Map.of()));
    var _ =
        start(
            new SourceConfig.Jsonl(
                identity(Duration.ofMinutes(5)),
                rules(
                    new WriteBack.Webhook(
                        server.url(), new Credential.None(), new Credential.None())),
                Files.writeString(folder.resolve("items.jsonl"), "")));
    Files.writeString(
        folder.resolve("flyball.yaml"), "topics:\n  prefix: " + KAFKA.topics().prefix() + "\n");
    letter("1", RecordJson.write(Sample.analysis("answer", "s-1", "ledger:1")));

    var answer = flyball("dead-letters", "redeliver", "1", "--why", "fixed", "--wait", "240s");

    assertThat(answer.err()).isEmpty();
    assertThat(answer.code()).isZero();
    assertThat(answer.out())
        .contains(tenant + "/web/1\tredeliver\tundelivered\tposted")
        .contains("fixed");
    assertThat(server.requests())
        .filteredOn(request -> request.header("webhook-id").filter("s-1"::equals).isPresent())
        .hasSize(1);

    letter("9", "{broken");
    var both = flyball("dead-letters", "redeliver", "1", "9", "--wait", "240s");
    assertThat(both.out()).contains(tenant + "/web/1\tredeliver");
    assertThat(both.err()).contains(tenant + "/web/9");
    assertThat(both.code()).as("one was left out").isEqualTo(3);
  }

  private long polls() {
    return server.requests().stream().filter(it -> !it.path().contains("/comments")).count();
  }

  private void analysed(String item) {
    KAFKA.produce(
        KAFKA.topics().analyses(),
        tenant + "/web/" + item,
        Sample.analysis("answer", "s-1", "ledger:1"));
  }

  private void letter(String item, String value) {
    KAFKA.produce(
        KAFKA.topics().deadLetters(),
        tenant + "/web/" + item,
        new DeadLetter(
            "rejected", KAFKA.topics().analyses(), 0, 7, value, "write-back", Instant.EPOCH));
  }

  private CommandLineFixture.Answer flyball(String... arguments) {
    var all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--config", folder.resolve("flyball.yaml").toString()));
    all.addAll(List.of("--bootstrap-servers", KAFKA.bootstrapServers()));
    return CommandLineFixture.flyball(all.toArray(String[]::new));
  }

  private ProducerRole startGitHub() throws IOException {
    server.otherwise(request -> FaultReply.json("[]"));
    return start(
        new SourceConfig.GitHub(
            identity(Duration.ofSeconds(1)),
            rules(new WriteBack.Comment(false)),
            server.url(),
            "org/web",
            new Credential.InFile(Files.writeString(folder.resolve("token"), "s3cret\n"))));
  }

  private SourceConfig.Identity identity(Duration interval) {
    return new SourceConfig.Identity(tenant, "web", interval);
  }

  private static SourceRules rules(WriteBack writeBack) {
    var rules = SourceRules.DEFAULT;
    return new SourceRules(
        rules.fingerprintFields(),
        rules.closedStates(),
        rules.unassignedIsClosed(),
        rules.revisit(),
        writeBack,
        OptIn.ALL);
  }

  /** Returns once the group has committed where it begins: earlier analyses are not delivered. */
  private ProducerRole start(SourceConfig source) {
    var role =
        new ProducerRole(
            new ProducerConfig(
                folder.resolve("data"),
                List.of(source),
                PollClocks.DEFAULT,
                new Breaker.Limits(1, Duration.ofMinutes(30)),
                ProducerConfig.DEFAULT_BACKLOG,
                ProducerConfig.DEFAULT_TEXT_LIMIT,
                ProducerConfig.DEFAULT_FINGERPRINT_FIELDS),
            KAFKA.settings(),
            new Telemetry());
    started.add(role);
    role.start();
    String group = KAFKA.topics().prefix() + "write-back." + tenant + ".web";
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            var offsets = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata();
            return offsets.get().size() == 12;
          }
        });
    return role;
  }
}
