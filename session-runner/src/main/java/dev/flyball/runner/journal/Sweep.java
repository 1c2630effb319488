package dev.flyball.runner.journal;

import dev.flyball.runner.process.ContainedProcess.Identity;
import dev.flyball.runner.process.Identities;
import dev.flyball.runner.process.Reaper;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Before the first claim: ends what dead runners on this folder left behind (S0-29), and nothing
 * else.
 */
public final class Sweep {
  /** For all rows together: nothing is claimed before. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** What each row gets at least, however long those before it took. */
  private static final Duration LEAST = Duration.ofMillis(500);

  /** How long a closed session is kept, and how many. */
  private static final Duration KEPT = Duration.ofDays(7);

  private static final int KEPT_ROWS = 1000;

  private final Journal journal;
  private final InstantSource clock;

  /** A sweep over a journal; the clock stamps the rows that it closes. */
  public Sweep(Journal journal, InstantSource clock) {
    this.journal = journal;
    this.clock = clock;
  }

  /** Looks at every open row; closes those of which nothing is left. */
  public SweepReport run() throws FolderRefused {
    SweepReport report = end();
    for (SweepReport.Reaped reaped : report.reaped()) {
      if (reaped.survivors() == 0) {
        journal.closed(reaped.row().session(), clock.millis());
      }
    }
    for (JournalRow row : report.leftAlone()) {
      if (!row.owner().pidNamespace().equals(Identities.own().pidNamespace())) {
        journal.forget(row.session());
      }
    }
    return report;
  }

  /** Ends what is left of every open row, and leaves the journal as it is. */
  SweepReport end() throws FolderRefused {
    Identity own = Identities.own();
    var reaped = new ArrayList<SweepReport.Reaped>();
    var leftAlone = new ArrayList<JournalRow>();
    long end = System.nanoTime() + LIMIT.toNanos();
    for (JournalRow row : journal.open()) {
      boolean sameBoot = row.owner().bootId().equals(own.bootId());
      boolean here = sameBoot && row.owner().pidNamespace().equals(own.pidNamespace());
      // A copied folder, or a runner of this very JVM: its owner looks after it. And from another
      // PID namespace nothing can be known of its owner, not even that it is dead: the folder may
      // be a copy.
      if (sameBoot && (!here || Identities.alive(row.owner()))) {
        leftAlone.add(row);
        continue;
      }
      var process = here ? row.process() : Optional.<Identity>empty();
      var ended = Reaper.reap(row.session(), process, left(end));
      reaped.add(
          new SweepReport.Reaped(
              row, ended.found(), ended.survivors(), here && ended.survivors() == 0));
    }
    return new SweepReport(reaped, leftAlone);
  }

  private static Duration left(long end) {
    Duration left = Duration.ofNanos(end - System.nanoTime());
    return left.compareTo(LEAST) > 0 ? left : LEAST;
  }

  /**
   * Live processes of sessions that are closed: above 10 is worth a warning, above 20 a sweep
   * (S4-13).
   */
  public int strays() throws FolderRefused {
    Map<String, Integer> carried = Reaper.carriers(session -> true);
    return journal.closedOf(carried.keySet()).stream()
        .mapToInt(session -> carried.getOrDefault(session, 0))
        .sum();
  }

  /**
   * Forgets closed sessions, the old ones and those beyond the newest thousand, so that a runner
   * which is never restarted does not grow. One that a live process belongs to stays known: from
   * others no process can come any more.
   */
  public void forget() throws FolderRefused {
    journal.forgetClosed(
        clock.millis() - KEPT.toMillis(), KEPT_ROWS, Reaper.carriers(session -> true).keySet());
  }

  /** Ends them; answers how many could not be ended (S4-15). */
  public int endStrays() throws FolderRefused {
    return endedStrays().stream().mapToInt(Stray::survivors).sum();
  }

  /** Ends them; answers what was found of each session and is left. */
  List<Stray> endedStrays() throws FolderRefused {
    var ended = new ArrayList<Stray>();
    long end = System.nanoTime() + LIMIT.toNanos();
    Map<String, Integer> carried = Reaper.carriers(each -> true);
    for (String session : journal.closedOf(carried.keySet())) {
      var reaped = Reaper.reap(session, Optional.empty(), left(end));
      ended.add(new Stray(session, carried.getOrDefault(session, 0), reaped.survivors()));
    }
    return ended;
  }

  /** What was found of a closed session and is left of it. */
  record Stray(String session, int found, int survivors) {}
}
