package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.roles.ProducerRole;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
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
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("An operator delivers analyses again that a webhook rejected until they were given up")
class RedeliverIT {
  private static final String SOURCE = "acme/files";
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;
  private final FaultServer webhook = FaultServer.http();
  private ProducerRole role;

  /** Whose analyses the webhook rejects; read by its thread. */
  private volatile Predicate<FaultRequest> rejects =
      request -> of("1", request) || of("2", request);

  @BeforeEach
  void open() throws IOException {
    KAFKA.provision();
    webhook.otherwise(request -> FaultReply.status(rejects.test(request) ? 404 : 200, Map.of()));
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
  void anAnalysisThatWasGivenUpArrivesOnceItsReceiverIsFixed() {
    awaitJoined();
    // An analysis that fails again after another was delivered counts as stuck. With more than 100
    // analyses of such items the one with the most tries is given up: 1 has tried once more.
    analysed("1", "s-1");
    failsAgainAfterDelivery("s-1", "s-3");
    analysed("2", "stuck-0");
    failsAgainAfterDelivery("s-1", "s-4");
    failsAgainAfterDelivery("stuck-0", "s-5");
    for (int n = 1; n < 100; n++) {
      analysed("2", "stuck-" + n);
    }
    KafkaFixture.await().until(() -> !KAFKA.records(KAFKA.topics().deadLetters()).isEmpty());
    assertThat(KAFKA.records(KAFKA.topics().deadLetters()))
        .singleElement()
        .satisfies(letter -> assertThat(letter.key()).isEqualTo(SOURCE + "/1"));

    rejects = request -> of("2", request);
    long rejected = posted("s-1");
    var answer = flyball("dead-letters", "redeliver", "1", "--why", "fixed", "--wait", "240s");

    assertThat(answer.err()).isEmpty();
    assertThat(answer.code()).isZero();
    assertThat(answer.out())
        .contains(SOURCE + "/1\tredeliver\tundelivered\tposted")
        .contains("fixed");
    assertThat(posted("s-1")).isEqualTo(rejected + 1);

    unreadableLetter("9");
    var both = flyball("dead-letters", "redeliver", "1", "9", "--wait", "240s");
    assertThat(both.out()).contains(SOURCE + "/1\tredeliver");
    assertThat(both.err()).contains(SOURCE + "/9");
    assertThat(both.code()).as("one was left out").isEqualTo(3);
  }

  /** Waits until a session's analysis failed, another was delivered, and it failed once more. */
  private void failsAgainAfterDelivery(String failing, String delivered) {
    KafkaFixture.await().until(() -> posted(failing) > 0);
    analysed("3", delivered);
    KafkaFixture.await().until(() -> posted(delivered) > 0);
    long before = posted(failing);
    KafkaFixture.await().until(() -> posted(failing) > before);
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

  private static boolean of(String item, FaultRequest request) {
    return request.body().contains("\"item\":\"" + SOURCE + "/" + item + "\"");
  }

  private long posted(String session) {
    return webhook.requests().stream()
        .filter(request -> request.header("webhook-id").filter(session::equals).isPresent())
        .count();
  }

  private static void analysed(String item, String session) {
    KAFKA.produce(
        KAFKA.topics().analyses(),
        SOURCE + "/" + item,
        Sample.analysis("answer", session, "ledger:1"));
  }

  private static void unreadableLetter(String item) {
    KAFKA.produce(
        KAFKA.topics().deadLetters(),
        SOURCE + "/" + item,
        new DeadLetter(
            "rejected", KAFKA.topics().analyses(), 0, 7, "{broken", "write-back", Instant.EPOCH));
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
