package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TopScreenTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();
  private final CompletableFuture<String> signal = new CompletableFuture<>();
  private final PipedWriter keyboard = new PipedWriter();
  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void itIsRedrawnUntilQAndTheScreenIsRestored() throws IOException {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> frames() >= 3);

    keyboard.write("xyq");
    keyboard.flush();

    assertThat(ended.join()).isEqualTo(Exit.DONE);
    assertThat(drawn.toString(StandardCharsets.UTF_8))
        .startsWith(
            "\033[?1049h\033[H\033[2J1 of 3 sessions live, 2 items unsettled, 0.50 USD spent")
        .contains("tenant:a paused by ann", "runner r2 refuses: load", "a/b/1")
        .endsWith("\033[?1049l");
  }

  @Test
  void aSignalEndsItAsInterrupted() throws IOException {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> frames() >= 1);

    signal.complete("INT");

    assertThat(ended.join()).isEqualTo(Exit.INTERRUPTED);
    assertThat(drawn.toString(StandardCharsets.UTF_8)).endsWith("\033[?1049l");
  }

  @Test
  void aTerminalThatIsGoneEndsIt() throws IOException {
    CompletableFuture<Exit> ended = shown();

    keyboard.close();

    assertThat(ended.join()).isEqualTo(Exit.DONE);
  }

  @Test
  void aLookThatFailsIsSaidAndTheNextMayDoBetter() throws IOException {
    looks.set(-2);
    CompletableFuture<Exit> ended = shown();

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(drawn.toString(StandardCharsets.UTF_8))
                .contains("flyball: console.db cannot be read", "a/b/1"));

    signal.complete("INT");
    assertThat(ended.join()).isEqualTo(Exit.INTERRUPTED);
  }

  private CompletableFuture<Exit> shown() throws IOException {
    var out = new PrintStream(drawn, true, StandardCharsets.UTF_8);
    var terminal =
        new Terminal(
            out,
            out,
            true,
            true,
            Map.of("TERM", "xterm", "NO_COLOR", "1"),
            Optional.of(new BufferedReader(new PipedReader(keyboard))));
    var screen = new TopScreen(terminal, Duration.ofMillis(20), signal, this::look);
    var ended = new CompletableFuture<Exit>();
    Thread.ofPlatform().daemon().start(() -> ended.complete(screen.show()));
    return ended;
  }

  private LiveTable look() {
    if (looks.incrementAndGet() < 1) {
      throw new StartFailure("console.db cannot be read");
    }
    var session =
        new RunningSession(
            "s", "a/b/1", "r1", 1, 7L, "A", 3L, NOW, 61_000, 600_000, NOW, false, 5, 1);
    var summary =
        new Summary(
            1,
            3,
            Map.of(),
            2,
            null,
            Map.of(),
            500_000,
            0,
            List.of("tenant:a paused by ann"),
            List.of(
                new Summary.Runner("r1", "A", 4, null), new Summary.Runner("r2", "A", 4, "load")),
            List.of(),
            NOW);
    return new LiveTable(
        List.of(session), summary, new ProjectionAge(NOW, NOW, Path.of("data"), false));
  }

  private int frames() {
    return drawn.toString(StandardCharsets.UTF_8).split("\033\\[2J", -1).length - 1;
  }
}
