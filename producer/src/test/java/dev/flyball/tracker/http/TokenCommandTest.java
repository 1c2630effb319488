package dev.flyball.tracker.http;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command prints a token: it runs when needed, no longer than allowed, and stays secret. */
class TokenCommandTest {
  private static final Instant START = Instant.parse("2026-11-01T08:00:00Z");

  @TempDir Path folder;
  private Instant now = START;

  @Test
  void aTokenIsTheFirstLineAndIsKeptForAWhile() throws IOException {
    TokenCommand command = command("echo run >> %s; echo ' abc-1 '; echo more");

    assertThat(command.token()).isEqualTo("abc-1");
    now = START.plus(Duration.ofMinutes(9));
    assertThat(command.token()).isEqualTo("abc-1");
    assertThat(runs()).hasSize(1);
    now = START.plus(Duration.ofMinutes(10));
    assertThat(command.token()).isEqualTo("abc-1");
    assertThat(runs()).hasSize(2);
  }

  @Test
  void aJsonWebTokenIsKeptUntilShortlyBeforeItExpires() throws IOException {
    long expires = START.plus(Duration.ofHours(1)).getEpochSecond();
    String claims =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(("{\"exp\":" + expires + "}").getBytes(StandardCharsets.UTF_8));
    TokenCommand command = command("echo run >> %s; echo head." + claims + ".sign");

    assertThat(command.token()).startsWith("head.");
    now = START.plus(Duration.ofMinutes(58));
    assertThat(command.token()).startsWith("head.");
    assertThat(runs()).hasSize(1);
    now = START.plus(Duration.ofMinutes(59));
    assertThat(command.token()).startsWith("head.");
    assertThat(runs()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "echo secret-1 >&2; echo secret-2; exit 3, exit code 3",
    "echo; echo secret-2, empty",
    "echo secret 2, white space",
    "yes secret-2 | tr -d '\\n' | head -c 9000, too long",
    "no-such-program-at-all secret-2, exit code 127",
  })
  void aCommandWithoutATokenIsRefusedWithoutQuotingIt(String line, String reason) {
    TrackerFailure failure = failureOf(() -> Tokens.read(new Credential.Command(line)));

    assertThat(failure.category()).isEqualTo(Category.AUTH);
    assertThat(failure.reason()).contains(reason).doesNotContain("secret");
  }

  @Test
  void aCommandThatTakesTooLongIsEndedWithItsChildren() throws IOException {
    var slow =
        new TokenCommand(
            "sleep 300 & echo $! > " + log() + "; (sleep 301; echo late)",
            Duration.ofMillis(700),
            () -> now);

    assertThat(failureOf(slow::token).reason()).contains("longer than 700 ms");
    long child = Long.parseLong(runs().getFirst());
    await()
        .untilAsserted(
            () -> assertThat(ProcessHandle.of(child).filter(ProcessHandle::isAlive)).isEmpty());
  }

  @Test
  void aChildThatKeepsTheOutputOpenHoldsNothingUp() {
    assertThat(command("sleep 3 & echo abc-1").token()).isEqualTo("abc-1");
  }

  @Test
  void aRejectedTokenIsReplacedOnceAndTheRequestSentAgain() throws IOException {
    var token =
        new Credential.Command("echo run >> " + log() + "; echo token-$(wc -l < " + log() + ")");
    try (FaultServer tracker = FaultServer.http()) {
      var http =
          new TrackerHttp(
              tracker.url(),
              () -> Tokens.header(token, "Authorization", secret -> "Bearer " + secret),
              InstantSource.system(),
              new TrackerLimits());
      FaultReply rejected = FaultReply.json(401, "{}");
      tracker.then(rejected).then(FaultReply.json("{}")).then(rejected).then(rejected);

      http.get("/", RequestPermission.GRANTED);
      TrackerFailure failure = failureOf(() -> http.get("/", RequestPermission.GRANTED));

      assertThat(failure.category()).isEqualTo(Category.AUTH);
      assertThat(tracker.requests())
          .extracting(request -> request.header("Authorization").orElse(""))
          .containsExactly("Bearer token-1", "Bearer token-2", "Bearer token-2", "Bearer token-3");
    }
  }

  private TokenCommand command(String line) {
    return new TokenCommand(line.formatted(log()), Duration.ofSeconds(20), () -> now);
  }

  private Path log() {
    return folder.resolve("runs");
  }

  private List<String> runs() throws IOException {
    return Files.readAllLines(log());
  }
}
