package dev.flyball.program.run;

import dev.flyball.ops.console.RunView;
import dev.flyball.program.terminal.PlainText;
import dev.flyball.program.terminal.Terminal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Shows the progress of a run on standard error. A person at a terminal sees one line that changes;
 * a log gets a line only when something changed, every few seconds at most.
 */
final class Progress {
  private static final long LOG_EVERY_MS = 2_000;
  private static final String CLEAR = "\r\033[K";

  private final Terminal terminal;
  private String last = "";
  private long lastAtMs = -LOG_EVERY_MS;
  private boolean open;
  private boolean over;

  Progress(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Prints a line that stays. */
  synchronized void say(String line) {
    if (!over) {
      clear();
      terminal.note(PlainText.line(line));
    }
  }

  /** Prints the last line: nothing follows it. */
  synchronized void last(String line) {
    say(line);
    over = true;
  }

  /** Removes the line that changes, before something else is printed. */
  synchronized void clear() {
    if (open) {
      terminal.err().print(CLEAR);
      terminal.err().flush();
      open = false;
    }
  }

  /** Shows the state after this many milliseconds. */
  synchronized void show(RunView.Status status, Instant now, long elapsedMs) {
    String line = line(status, now);
    String timed = line + " (" + elapsedMs / 1000 + " s)";
    if (over) {
      return;
    }
    if (terminal.errIsTty()) {
      // A line that wraps cannot be cleared: each further one would stay.
      terminal.err().print(CLEAR + PlainText.cut("flyball: " + timed, terminal.width() - 1));
      terminal.err().flush();
      open = true;
    } else if (!line.equals(last) && elapsedMs - lastAtMs >= LOG_EVERY_MS) {
      last = line;
      lastAtMs = elapsedMs;
      terminal.note(timed);
    }
  }

  /** The states as text, for example {@code 31 analyzed, 9 skipped}. */
  static String words(Map<String, Integer> states) {
    return states.isEmpty()
        ? "nothing changed"
        : states.entrySet().stream()
            .map(entry -> entry.getValue() + " " + entry.getKey())
            .collect(Collectors.joining(", "));
  }

  static String line(RunView.Status status, Instant now) {
    if (status.items().isEmpty()) {
      return "nothing has changed so far";
    }
    int settled = status.items().size() - status.unsettled();
    Optional<String> due =
        status.nextDue(now).map(at -> "; next attempt at " + at.truncatedTo(ChronoUnit.SECONDS));
    Optional<String> paused = status.paused(now).map(why -> "; " + why);
    String states = words(status.states(_ -> true));
    String counts = settled + " of " + status.items().size() + " settled: " + states;
    return counts + due.orElse("") + paused.orElse("");
  }
}
