package dev.flyball.program.cli;

import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;
import org.jspecify.annotations.Nullable;

/**
 * Draws the live sessions repeatedly on a separate screen, does what its keys ask for, and restores
 * the terminal when it ends. Used by one thread; reads and actions run in others, so that keys and
 * signals have their effect meanwhile.
 */
final class TopScreen {
  private static final String ENTER = "\033[?1049h\033[?25l";
  private static final String LEAVE = "\033[?25h\033[?1049l";
  private static final String CLEAR = "\033[H\033[2J";

  /** How long a key or a signal may wait for its effect, in milliseconds. */
  private static final long TICK = 100;

  /** Lines of the screen that are not sessions: headings, the table's head, the note, the keys. */
  private static final int OTHER_LINES = 8;

  private final org.jline.terminal.Terminal screen;
  private final Map<String, String> environment;
  private final Duration every;
  private final Supplier<LiveTable> look;
  private final Function<TopAction, String> act;
  private final KeyMap<TopAction.Key> keys = new KeyMap<>();
  private TopState state = TopState.START;
  private @Nullable LiveTable shown;
  private String failure = "";

  /**
   * Nothing is drawn before {@link #show}.
   *
   * @param every time between two reads
   * @param look reads what is drawn; an error is shown, and the next read may succeed
   * @param act does an action and returns its result, one line
   */
  TopScreen(
      org.jline.terminal.Terminal screen,
      Map<String, String> environment,
      Duration every,
      Supplier<LiveTable> look,
      Function<TopAction, String> act) {
    this.screen = screen;
    this.environment = environment;
    this.every = every;
    this.look = look;
    this.act = act;
    keys.setNomatch(TopAction.Key.OTHER);
    keys.setUnicode(TopAction.Key.OTHER);
    keys.bind(TopAction.Key.UP, KeyMap.key(screen, Capability.key_up), "\033[A", "k");
    keys.bind(TopAction.Key.DOWN, KeyMap.key(screen, Capability.key_down), "\033[B", "j");
    keys.bind(TopAction.Key.CANCEL, "c");
    keys.bind(TopAction.Key.SKIP, "s");
    keys.bind(TopAction.Key.RETRY, "t");
    keys.bind(TopAction.Key.RAISE, "+");
    keys.bind(TopAction.Key.LOWER, "-");
    keys.bind(TopAction.Key.PAUSE, "p");
    keys.bind(TopAction.Key.RESUME, "r");
    keys.bind(TopAction.Key.YES, "y", "Y");
    keys.bind(TopAction.Key.QUIT, "q", "Q");
  }

  /**
   * Draws until {@code q}, a signal or the end of the terminal.
   *
   * @param signal completes with the name of a signal that ends it
   */
  Exit show(CompletableFuture<String> signal) {
    var before = screen.enterRawMode();
    screen.writer().print(ENTER);
    try {
      draw(signal);
    } finally {
      screen.writer().print(LEAVE);
      screen.flush();
      screen.setAttributes(before);
    }
    return signal.isDone() ? Exit.INTERRUPTED : Exit.DONE;
  }

  private void draw(CompletableFuture<String> signal) {
    var reader = new BindingReader(screen.reader());
    CompletableFuture<String> working = CompletableFuture.completedFuture("");
    CompletableFuture<LiveTable> reading = started(look);
    long began = System.nanoTime();
    boolean taken = false;
    while (!signal.isDone()) {
      boolean changed = false;
      if (!taken && reading.isDone()) {
        take(reading);
        taken = true;
        changed = true;
      }
      if (taken && System.nanoTime() - began >= every.toNanos()) {
        reading = started(look);
        began = System.nanoTime();
        taken = false;
      }
      String result = working.getNow("");
      if (!result.isEmpty()) {
        state = state.done(result);
        working = CompletableFuture.completedFuture("");
        changed = true;
      }
      if (changed) {
        frame();
      }
      int key = reader.peekCharacter(TICK);
      if (key == NonBlockingReader.EOF) {
        return;
      }
      if (key != NonBlockingReader.READ_EXPIRED) {
        TopState.Press press = state.press(reader.readBinding(keys), live());
        if (press.quit()) {
          return;
        }
        state = press.state();
        if (press.act() != null) {
          working = started(press.act());
        }
        frame();
      }
    }
  }

  private CompletableFuture<String> started(TopAction action) {
    return started(() -> {
      try {
        return act.apply(action);
      } catch (RuntimeException e) {
        return "not done: " + e.getMessage();
      }
    });
  }

  private static <T> CompletableFuture<T> started(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread.ofVirtual()::start);
  }

  private void take(CompletableFuture<LiveTable> read) {
    try {
      shown = read.join();
      failure = "";
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof StartFailure cause)) {
        throw e;
      }
      failure = "flyball: " + PlainText.line(String.valueOf(cause.getMessage()));
    }
  }

  private List<RunningSession> live() {
    return shown == null ? List.of() : shown.live();
  }

  private void frame() {
    var drawn = new ByteArrayOutputStream();
    var out = new PrintStream(drawn, false, StandardCharsets.UTF_8);
    var paper = new Terminal(out, out, true, true, environment, Optional.empty());
    LiveTable now = shown;
    if (!failure.isEmpty()) {
      out.println(failure);
    } else if (now != null) {
      now.heading().forEach(line -> out.println(PlainText.line(line)));
      now.age().report(paper);
      out.println();
      now.table(state.row(now.live()), Math.max(1, screen.getRows() - OTHER_LINES))
          .print(paper, Table.Form.FULL);
    }
    TopAction asked = state.asked();
    out.println();
    out.println(PlainText.line(asked == null ? state.note() : asked.question() + " [y/N]"));
    out.print(TopAction.Key.HELP);
    out.flush();
    screen.writer().print(CLEAR + drawn.toString(StandardCharsets.UTF_8).replace("\n", "\r\n"));
    screen.flush();
  }
}
