package dev.flyball.program.cli;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Draws the live sessions repeatedly on a separate screen, and restores the terminal's content when
 * it ends.
 *
 * @param every time between two reads
 * @param signal completes with the name of a signal that ends it
 * @param look reads what is drawn; an error is shown, and the next read may succeed
 */
record TopScreen(
    Terminal terminal, Duration every, CompletableFuture<String> signal, Supplier<LiveTable> look) {
  private static final String ENTER = "\033[?1049h";
  private static final String LEAVE = "\033[?1049l";
  private static final String CLEAR = "\033[H\033[2J";

  /** Draws until {@code q} or a signal. */
  Exit show() {
    var quit = new CompletableFuture<String>();
    terminal.in().ifPresent(keys -> Thread.ofVirtual().start(() -> awaitQuit(keys, quit)));
    var ended = CompletableFuture.anyOf(signal, quit);
    terminal.out().print(ENTER);
    try {
      do {
        terminal.out().print(CLEAR + frame());
        terminal.out().flush();
      } while (!done(ended));
    } finally {
      terminal.out().print(LEAVE);
      terminal.out().flush();
    }
    return signal.isDone() ? Exit.INTERRUPTED : Exit.DONE;
  }

  private String frame() {
    var drawn = new ByteArrayOutputStream();
    var paper =
        new Terminal(
            new PrintStream(drawn, false, StandardCharsets.UTF_8),
            new PrintStream(drawn, false, StandardCharsets.UTF_8),
            true,
            true,
            terminal.environment(),
            Optional.empty());
    try {
      LiveTable now = look.get();
      now.heading().forEach(line -> paper.out().println(PlainText.line(line)));
      now.age().report(paper);
      paper.err().flush();
      paper.out().println();
      now.table().print(paper, Table.Form.FULL);
    } catch (StartFailure e) {
      paper.out().println("flyball: " + PlainText.line(String.valueOf(e.getMessage())));
    }
    paper.out().println("\nPress q to quit");
    paper.out().flush();
    return drawn.toString(StandardCharsets.UTF_8);
  }

  /** Waits for {@code q}; the end of the terminal's input counts as well. */
  private static void awaitQuit(BufferedReader keys, CompletableFuture<String> quit) {
    try {
      int key = keys.read();
      while (key >= 0 && key != 'q' && key != 'Q') {
        key = keys.read();
      }
    } catch (IOException gone) {
      quit.complete("gone");
    }
    quit.complete("q");
  }

  private boolean done(CompletableFuture<?> ended) {
    try {
      var _ = ended.get(every.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException again) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
