package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.roles.ProducerRole;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("An operator delivers analyses again whose write-back was given up")
class RedeliverIT {
  private static final String SOURCE = "acme/files";
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;
  private final FaultServer webhook = FaultServer.http();
  private ProducerRole role;

  @BeforeEach
  void open() throws IOException {
    KAFKA.provision();
    webhook.otherwise(_ -> FaultReply.status(200, Map.of()));
    var rules = SourceRules.DEFAULT;
    var source =
        new SourceConfig.Jsonl(
            new SourceConfig.Identity("acme", "files", Duration.ofMinutes(5)),
            new SourceRules(
                rules.fingerprintFields(),
                rules.closedStates(),
                rules.unassignedIsClosed(),
                rules.me(),
                rules.revisit(),
                new WriteBack.Webhook(webhook.url(), new Credential.None(), new Credential.None()),
                OptIn.ALL),
            Files.writeString(folder.resolve("items.jsonl"), ""));
    Files.writeString(
        folder.resolve("flyball.yaml"), "topics:\n  prefix: " + KAFKA.topics().prefix() + "\n");
    role =
        new ProducerRole(
            ProducerConfig.defaults(folder.resolve("data"), List.of(source)),
            KAFKA.settings(),
            new Telemetry());
    role.start();
  }

  @AfterEach
  void close() {
    role.stop();
    webhook.close();
  }

  @Test
  void anAnalysisThatWasGivenUpArrives() {
    awaitJoined();
    letter("1", RecordJson.write(Sample.analysis("answer", "s-1", "ledger:1")));

    var answer = flyball("dead-letters", "redeliver", "1", "--why", "fixed", "--wait", "240s");

    assertThat(answer.err()).isEmpty();
    assertThat(answer.code()).isZero();
    assertThat(answer.out())
        .contains(SOURCE + "/1\tredeliver\tundelivered\tposted")
        .contains("fixed");
    assertThat(posted("s-1")).isEqualTo(1);

    letter("9", "{broken");
    var both = flyball("dead-letters", "redeliver", "1", "9", "--wait", "240s");
    assertThat(both.out()).contains(SOURCE + "/1\tredeliver");
    assertThat(both.err()).contains(SOURCE + "/9");
    assertThat(both.code()).as("one was left out").isEqualTo(3);
  }

  private CommandLineFixture.Answer flyball(String... arguments) {
    var all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "--config",
            folder.resolve("flyball.yaml").toString(),
            "--bootstrap-servers",
            KAFKA.bootstrapServers()));
    return CommandLineFixture.flyball(all.toArray(String[]::new));
  }

  private long posted(String session) {
    return webhook.requests().stream()
        .filter(request -> request.header("webhook-id").filter(session::equals).isPresent())
        .count();
  }

  private static void letter(String item, String value) {
    KAFKA.produce(
        KAFKA.topics().deadLetters(),
        SOURCE + "/" + item,
        new DeadLetter(
            "rejected", KAFKA.topics().analyses(), 0, 7, value, "write-back", Instant.EPOCH));
  }

  /** Waits until the group has committed where it begins: earlier analyses are not delivered. */
  private static void awaitJoined() {
    KafkaFixture.await()
        .ignoreExceptions()
        .until(() -> {
          try (var admin = KAFKA.clients("test").admin("offsets")) {
            return admin
                    .listConsumerGroupOffsets(KAFKA.topics().prefix() + "write-back.acme.files")
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .size()
                == 12;
          }
        });
  }
}
