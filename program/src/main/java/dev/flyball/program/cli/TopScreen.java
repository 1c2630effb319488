package dev.flyball.program.cli;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Draws the live sessions repeatedly on a separate screen, which it leaves when it ends. */
record TopScreen(Terminal terminal, Duration every, Supplier<LiveTable> look) {
  private static final String ENTER = "\033[?1049h\033[?25l";
  private static final String LEAVE = "\033[?25h\033[?1049l";
  private static final String CLEAR = "\033[H\033[2J";

  /**
   * Draws until a signal.
   *
   * @param signal completes with its name
   */
  Exit show(CompletableFuture<String> signal) {
    terminal.out().print(ENTER);
    try {
      while (!signal.isDone()) {
        frame();
        var _ = signal.copy().completeOnTimeout("", every.toMillis(), TimeUnit.MILLISECONDS).join();
      }
    } finally {
      terminal.out().print(LEAVE);
      terminal.out().flush();
    }
    return Exit.INTERRUPTED;
  }

  /** An error is shown, and the next read may succeed. */
  private void frame() {
    try {
      LiveTable now = look.get();
      terminal.out().print(CLEAR);
      now.heading().forEach(line -> terminal.out().println(PlainText.line(line)));
      if (now.age().old()) {
        terminal.out().println(now.age().line());
      }
      terminal.out().println();
      now.table().print(terminal, Table.Form.FULL);
    } catch (StartFailure e) {
      terminal.out().print(CLEAR);
      terminal.out().println("flyball: " + PlainText.line(String.valueOf(e.getMessage())));
    }
    terminal.out().flush();
  }
}
