package dev.flyball.program.run;

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

  Progress(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Prints a line that stays. */
  void say(String line) {
    if (open) {
      terminal.err().print(CLEAR);
      open = false;
    }
    terminal.say("flyball: " + PlainText.line(line));
  }

  /** Shows the state after this many milliseconds. */
  void show(RunTally tally, Instant now, long elapsedMs) {
    String line = line(tally, now);
    if (terminal.errIsTty()) {
      terminal.err().print(CLEAR + "flyball: " + line + " (" + elapsedMs / 1000 + " s)");
      terminal.err().flush();
      open = true;
    } else if (!line.equals(last) && elapsedMs - lastAtMs >= LOG_EVERY_MS) {
      last = line;
      lastAtMs = elapsedMs;
      terminal.say("flyball: " + line + " (" + elapsedMs / 1000 + " s)");
    }
  }

  /** The phases as text, for example {@code 31 analyzed, 9 skipped}. */
  static String words(Map<String, Integer> phases) {
    return phases.isEmpty()
        ? "nothing changed"
        : phases.entrySet().stream()
            .map(entry -> entry.getValue() + " " + entry.getKey())
            .collect(Collectors.joining(", "));
  }

  static String line(RunTally tally, Instant now) {
    if (tally.items() == 0) {
      return "nothing has changed so far";
    }
    int settled = Math.max(0, tally.items() - tally.unsettled());
    Optional<String> due =
        tally.nextDue(now).map(at -> "; next attempt at " + at.truncatedTo(ChronoUnit.SECONDS));
    Optional<String> paused = tally.paused(now).map(why -> "; " + why);
    return settled
        + " of "
        + tally.items()
        + " settled: "
        + words(tally.phases())
        + due.orElse("")
        + paused.orElse("");
  }
}
