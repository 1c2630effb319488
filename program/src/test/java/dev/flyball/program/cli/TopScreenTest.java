package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.Exit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jline.terminal.impl.ExternalTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class TopScreenTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();
  private final CompletableFuture<String> signal = new CompletableFuture<>();
  private final PipedOutputStream keyboard = new PipedOutputStream();
  private final PipedInputStream keys = new PipedInputStream(keyboard);
  private final List<TopAction> done = new CopyOnWriteArrayList<>();
  private final AtomicInteger looks = new AtomicInteger();

  /** A look ends when this is at 0. */
  private final AtomicReference<CountDownLatch> slow = new AtomicReference<>(new CountDownLatch(0));

  TopScreenTest() throws IOException {}

  @Test
  void itIsRedrawnUntilQAndTheScreenIsRestored() throws IOException {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> frames() >= 3);

    type("xyq");

    assertThat(ended.join()).isEqualTo(Exit.DONE);
    assertThat(text())
        .contains("\033[?1049h", "1 of 3 sessions live, 2 items unsettled, 0.50 USD spent")
        .contains("tenant:a paused by ann", "runner r2 refuses: load", "> a/b/1")
        .endsWith("\033[?1049l");
    assertThat(done).isEmpty();
  }

  @Test
  void aKeyAsksAndYesCancelsTheSelectedSession() throws IOException {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> text().contains("> a/b/1"));

    type("c");
    await().atMost(PATIENCE).until(() -> text().contains("Cancel the session of a/b/1? [y/N]"));
    assertThat(done).isEmpty();
    type("y");
    await().atMost(PATIENCE).until(() -> text().contains("a/b/1 is cancelled"));
    assertThat(done).containsExactly(new TopAction.Cancel("a/b/1", "s"));

    type("q");
    assertThat(ended.join()).isEqualTo(Exit.DONE);
  }

  @Test
  void plusRaisesTheCapAfterAQuestion() throws IOException {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> text().contains("> a/b/1"));

    type("+");
    await().atMost(PATIENCE).until(() -> text().contains("Raise the cap by one? [y/N]"));
    type("y");
    await().atMost(PATIENCE).until(() -> !done.isEmpty());
    assertThat(done).containsExactly(new TopAction.Cap(1));

    type("q");
    assertThat(ended.join()).isEqualTo(Exit.DONE);
  }

  @Test
  void aSignalEndsItAsInterrupted() throws IOException {
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> frames() >= 1);

    signal.complete("INT");

    assertThat(ended.join()).isEqualTo(Exit.INTERRUPTED);
    assertThat(text()).endsWith("\033[?1049l");
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
        .untilAsserted(
            () -> assertThat(text()).contains("flyball: console.db cannot be read", "a/b/1"));

    signal.complete("INT");
    assertThat(ended.join()).isEqualTo(Exit.INTERRUPTED);
  }

  @Test
  void keysAreReadWhileALookTakesLong() throws IOException {
    slow.set(new CountDownLatch(1));
    CompletableFuture<Exit> ended = shown();
    await().atMost(PATIENCE).until(() -> looks.get() == 1);

    type("q");

    try {
      await().atMost(PATIENCE).until(ended::isDone);
    } finally {
      slow.get().countDown();
    }
    assertThat(text()).endsWith("\033[?1049l");
  }

  private CompletableFuture<Exit> shown() throws IOException {
    var screen = new ExternalTerminal("test", "xterm", keys, drawn, StandardCharsets.UTF_8);
    var top =
        new TopScreen(
            screen,
            Map.of("TERM", "xterm", "NO_COLOR", "1"),
            Duration.ofMillis(20),
            this::look,
            action -> {
              done.add(action);
              return "a/b/1 is cancelled";
            });
    var ended = new CompletableFuture<Exit>();
    Thread.ofPlatform().daemon().start(() -> ended.complete(top.show(signal)));
    return ended;
  }

  private void type(String text) throws IOException {
    keyboard.write(text.getBytes(StandardCharsets.UTF_8));
    keyboard.flush();
  }

  private String text() {
    return drawn.toString(StandardCharsets.UTF_8);
  }

  private LiveTable look() {
    int look = looks.incrementAndGet();
    try {
      slow.get().await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (look < 1) {
      throw new StartFailure("console.db cannot be read");
    }
    var session =
        new RunningSession(
            "s", "a/b/1", "r1", 1, 7L, "A", 3L, NOW, 61_000, 600_000, NOW, false, 5, 1, null);
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
        List.of(session), summary, new ProjectionAge(NOW, NOW, "no service updates data", false));
  }

  private int frames() {
    return text().split("\033\\[2J", -1).length - 1;
  }
}
