package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.RunningSession;
import java.time.Duration;
import java.time.Instant;

/** One live session as a row. */
public record LiveRow(RunningSession session, Instant now) {
  /** From this share of its wall clock on, a session is shown as late. */
  private static final double LATE = 0.75;

  private static final Duration QUIET = Duration.ofSeconds(60);

  /** The item's title; its key while the item is not known. */
  public String title() {
    String title = session.title();
    return title == null ? session.item() : title;
  }

  /** The item's tenant. */
  public String tenant() {
    return session.item().replaceAll("/.*", "");
  }

  /** Whether most of its time is over. */
  public boolean late() {
    return session.elapsedMs() > LATE * session.limitMs();
  }

  /** Time since its claim. */
  public String elapsed() {
    return Display.clock(session.elapsedMs());
  }

  /** Its wall clock. */
  public String limit() {
    return Display.clock(session.limitMs());
  }

  /** What its agent does. */
  public String progress() {
    if (session.pid() == null) {
      return "starting";
    }
    Instant at = session.progressAt();
    return at == null
        ? "no output yet"
        : (silent() ? "silent for " : "output ")
            + TimeSpan.age(Duration.between(at, now))
            + (silent() ? "" : " ago");
  }

  /** The colour of that. */
  public String tone() {
    return session.hung() || silent() ? "warn" : "run";
  }

  /** Processes, and a dash while unknown. */
  public String processes() {
    Long known = session.processes();
    return known == null ? "-" : Display.grouped(known);
  }

  /** The process id, and a dash while unknown. */
  public String pid() {
    Long known = session.pid();
    return known == null ? "-" : known.toString();
  }

  private boolean silent() {
    Instant at = session.progressAt();
    return session.hung() || (at != null && Duration.between(at, now).compareTo(QUIET) > 0);
  }
}
