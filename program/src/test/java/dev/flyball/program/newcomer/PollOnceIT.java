package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("long")
@DisplayName("`producer --once` obeys signals and waits for a short pause")
final class PollOnceIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;

  /** Each test has other sources: a pause and a lease are kept in poll-state. */
  private static int tests;

  private final String tenant = "t" + ++tests;
  @AutoClose private final FaultServer tracker = FaultServer.http();

  @BeforeEach
  void configure() {
    Workplace.in(folder)
        .write(
            "flyball.yaml",
            """
            topics: {prefix: %s}
            tenant: %s
            sources:
              - {name: one, type: github, repository: org/one, url: "%s", token-env: GITHUB}
              - {name: two, type: github, repository: org/two, url: "%s", token-env: GITHUB}
            """
                .formatted(KAFKA.topics().prefix(), tenant, tracker.url(), tracker.url()));
  }

  @Test
  void aShortPauseIsWaitedFor() {
    var _ = tracker.then(pause(2));
    var _ = tracker.otherwise(_ -> FaultReply.json("[]"));
    try (Program once = once(folder)) {
      assertThat(once.awaitEnd()).as(once::err).isZero();
      assertThat(once.out()).contains("source=" + tenant + "/one", "source=" + tenant + "/two");
    }
    assertThat(tracker.requests()).hasSize(3);
  }

  @ParameterizedTest(name = "{0}, during a request: {1}")
  @CsvSource({"TERM, false", "INT, true"})
  void aSignalEndsThePauseAndIsObeyedAfterARequest(String signal, boolean silent) {
    var _ = tracker.otherwise(_ -> silent ? new FaultReply.Silent() : pause(50));
    try (Program once = once(folder, "--set", "poll.request=2s")) {
      KafkaFixture.await().untilAsserted(() -> assertThat(tracker.requests()).isNotEmpty());
      once.signal(signal);
      assertThat(once.awaitEnd()).as(once::err).isEqualTo(130);
    }
    assertThat(tracker.requests()).as("no further source is asked").hasSize(1);
  }

  @Test
  @DisplayName("S4-6: a source that another producer polls is skipped, and that is no error")
  void aSourceThatAnotherProducerPollsIsSkipped() throws IOException {
    var _ = tracker.otherwise(_ -> pause(50));
    Path other = Files.createDirectories(folder.resolve("other"));
    Files.writeString(
        other.resolve("flyball.yaml"),
        Files.readString(folder.resolve("flyball.yaml")).replaceAll("(?m)^.*name: two.*\\n", ""));
    try (Program _ = once(folder)) {
      KafkaFixture.await().untilAsserted(() -> assertThat(tracker.requests()).isNotEmpty());
      try (Program second = once(other)) {
        assertThat(second.awaitEnd()).as(second::err).isZero();
        assertThat(second.err()).contains(tenant + "/one skipped: polled by ");
        assertThat(second.out()).isEmpty();
      }
    }
    assertThat(tracker.requests()).hasSize(1);
  }

  private static FaultReply pause(int seconds) {
    return new FaultReply.Whole(
        429,
        Map.of("Retry-After", Integer.toString(seconds)),
        "{}".getBytes(StandardCharsets.UTF_8));
  }

  private static Program once(Path folder, String... options) {
    var all = new ArrayList<>(List.of("producer", "--once"));
    all.addAll(List.of("--bootstrap-servers", KAFKA.bootstrapServers()));
    all.addAll(List.of(options));
    return Program.start(folder, Map.of("GITHUB", "secret"), all.toArray(String[]::new));
  }
}
