package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.SessionViews.LiveTable;
import dev.flyball.program.cli.SessionViews.TopScreen;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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
  private final AtomicInteger looks = new AtomicInteger();

  @Test
  void itIsRedrawnUntilASignalAndTheScreenIsRestored() {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> text().split("\033\\[2J", -1).length > 3);

    signal.complete("INT");

    assertThat(ended.join()).isEqualTo(Exit.INTERRUPTED);
    assertThat(text())
        .contains("\033[?1049h", "1 of 3 sessions live, 2 items unsettled, 0.50 USD spent")
        .contains("tenant:a paused by ann", "runner r2 refuses: load", "default/items/102")
        .contains("item               processes  elapsed  progress  tokens  usd   title\n")
        .contains(
            "default/items/102  7          61s/10m            5       0.00  The lease ling...")
        .endsWith("\033[?1049l");
  }

  @Test
  void aLookThatFailsIsSaidAndTheNextMayDoBetter() {
    looks.set(-2);
    CompletableFuture<Exit> ended = shown();

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(text()).contains("flyball: console.db cannot be read", "items/102"));

    signal.complete("INT");
    assertThat(ended.join()).isEqualTo(Exit.INTERRUPTED);
  }

  private CompletableFuture<Exit> shown() {
    var out = new PrintStream(drawn, true, StandardCharsets.UTF_8);
    var terminal =
        new Terminal(
            out, out, true, true, Map.of("TERM", "xterm", "NO_COLOR", "1"), Optional.empty());
    var top = new TopScreen(terminal, Duration.ofMillis(20), this::look);
    return CompletableFuture.supplyAsync(() -> top.show(signal), Thread.ofVirtual()::start);
  }

  private String text() {
    return drawn.toString(StandardCharsets.UTF_8);
  }

  private LiveTable look() {
    if (looks.incrementAndGet() < 1) {
      throw new StartFailure("console.db cannot be read");
    }
    var session =
        RecordJson.read(
            """
            {"session": "s", "item": "default/items/102", "runner": "r1", "attempt": 1, "elapsedMs": 61000,
             "since": "2026-11-21T10:00:00Z", "limitMs": 600000, "hung": false, "tokens": 5,
             "costMicros": 1, "pid": 4711, "processes": 7,
             "title": "The lease lingers after its holder has renewed it"}
            """,
            RunningSession.class);
    var summary =
        RecordJson.read(
            """
            {"live": 1, "cap": 3, "items": {}, "backlog": 2, "ended": {}, "costMicros": 500000,
             "deadLetters": 0, "pauses": [{"scope": "tenant:a", "line": "tenant:a paused by ann"}],
             "runners": [{"id": "r1", "level": "A", "slots": 4},
                         {"id": "r2", "level": "A", "slots": 4, "refusing": "load"}],
             "broken": []}
            """,
            Summary.class);
    var age = new ConsoleReader.Age(NOW, NOW, "no service updates data", false);
    return new LiveTable(List.of(session), summary, age);
  }
}
