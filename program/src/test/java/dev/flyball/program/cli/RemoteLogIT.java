package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.OutputChunk;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The output of a session is read through a console, in parts, by those who may see it. */
@Tag("long")
final class RemoteLogIT {
  private static final String TOKEN = "a-token-of-some-length";
  private static final String TOKEN_OF_OTHER = "a-token-of-the-tenant-other";
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path data;
  private ProjectionFixture projection;
  private AdminServer server;

  @BeforeEach
  void aConsoleWithALiveSession() {
    KAFKA.provision();
    Instant now = Instant.now();
    projection =
        new ProjectionFixture(data)
            .item("default/items/1", "running", "", now)
            .item("default/items/2", "new", "", now)
            .live("s1-of-the-item", "default/items/1", now, now, 0)
            .live("s3-of-another", "default/items/3", now, now, 0)
            .asOf(now);
    server = projection.serve(KAFKA.settings(), TOKEN, TOKEN_OF_OTHER);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aLongOutputIsPrintedWholeAndInOrder() {
    for (int i = 0; i < 45; i++) {
      chunk(
          "s1-of-the-item",
          i,
          IntStream.range(i * 100, i * 100 + 100).mapToObj(n -> "line " + n).toList());
    }

    Answer log = there(TOKEN, "logs", "s1");

    assertThat(log.code()).as(log.err()).isZero();
    assertThat(log.err()).isEqualTo("flyball: session s1-of-the-item of default/items/1\n");
    assertThat(log.out().lines())
        .containsExactlyElementsOf(
            IntStream.range(0, 4_500).mapToObj(n -> "out\tline " + n).toList());
    assertThat(there(TOKEN, "logs", "1").out()).isEqualTo(log.out());
    assertThat(there(TOKEN, "logs", "2").err())
        .isEqualTo(
            "flyball: default/items/2 has had no session; reason: ./flyball why"
                + " default/items/2\n");
    for (String name : List.of("s1", "s1-of-the-item", "default/items/1")) {
      Answer hidden = there(TOKEN_OF_OTHER, "logs", name);
      assertThat(hidden.code()).isEqualTo(1);
      assertThat(hidden.out()).isEmpty();
      assertThat(hidden.err())
          .startsWith("flyball: no session '" + name + "' at the console; give an item, or")
          .hasLineCount(1);
    }
  }

  @Test
  void followingGoesOnUntilTheSessionEnds() {
    chunk("s3-of-another", 0, List.of("before"));
    CompletableFuture<Answer> followed =
        CompletableFuture.supplyAsync(() -> there(TOKEN, "logs", "--follow", "--json", "s3"));

    KafkaFixture.await()
        .pollDelay(Duration.ofSeconds(3))
        .untilAsserted(() -> assertThat(followed).isNotDone());
    chunk("s3-of-another", 1, List.of("while it runs"));
    projection.ended("s3-of-another");

    KafkaFixture.await().untilAsserted(() -> assertThat(followed).isDone());
    assertThat(followed.join().out().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"before\""),
            line -> assertThat(line).contains("\"while it runs\""));
  }

  private static void chunk(String session, long seq, List<String> lines) {
    KAFKA.produce(
        KAFKA.topics().sessionOutput(),
        session,
        new OutputChunk("t:1", seq, "out", Instant.now(), lines));
  }

  private Answer there(String token, String... words) {
    return flyball(Map.of("FLYBALL_CONSOLE", server.url(), "FLYBALL_CONSOLE_TOKEN", token), words);
  }
}
