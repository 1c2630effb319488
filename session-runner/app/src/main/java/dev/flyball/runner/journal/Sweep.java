package dev.flyball.runner.journal;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.kill.Reaper;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Ends what dead runners on this folder left behind, before the first claim, and nothing else. */
public final class Sweep {
  /** The time limit for all rows together, since nothing is claimed before. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** The least time for each row, however long the rows before it took. */
  private static final Duration LEAST = Duration.ofMillis(500);

  /** How long a closed session is kept, and how many. */
  private static final Duration KEPT = Duration.ofDays(7);

  private static final int KEPT_ROWS = 1000;

  private final Journal journal;
  private final InstantSource clock;

  /** Creates a sweep over a journal; the clock stamps the rows that it closes. */
  public Sweep(Journal journal, InstantSource clock) {
    this.journal = journal;
    this.clock = clock;
  }

  /** Checks every open row; closes the rows of which no process is left. */
  public Report run() throws FolderRejected {
    Report report = end();
    for (Report.Reaped reaped : report.reaped()) {
      if (reaped.survivors() == 0) {
        journal.closed(reaped.row().session(), clock.millis());
      }
    }
    for (JournalRow row : report.skipped()) {
      if (!row.owner().pidNamespace().equals(Identity.own().pidNamespace())) {
        journal.forget(row.session());
      }
    }
    return report;
  }

  /** Ends what is left of every open row, and changes nothing in the journal. */
  Report end() throws FolderRejected {
    Identity own = Identity.own();
    var reaped = new ArrayList<Report.Reaped>();
    var skipped = new ArrayList<JournalRow>();
    long end = System.nanoTime() + LIMIT.toNanos();
    for (JournalRow row : journal.open()) {
      boolean sameBoot = row.owner().bootId().equals(own.bootId());
      boolean here = sameBoot && row.owner().pidNamespace().equals(own.pidNamespace());
      // In a copied folder, or for a runner of this same JVM, the owner looks after the row. From
      // another PID namespace nothing is known of the owner, not even that it is dead: the folder
      // may be a copy.
      if (sameBoot && (!here || row.owner().alive())) {
        skipped.add(row);
        continue;
      }
      var process = here ? row.process() : Optional.<Identity>empty();
      var ended = Reaper.reap(row.session(), process, left(end));
      reaped.add(
          new Report.Reaped(row, ended.found(), ended.survivors(), here && ended.survivors() == 0));
    }
    return new Report(reaped, skipped);
  }

  private static Duration left(long end) {
    Duration left = Duration.ofNanos(end - System.nanoTime());
    return left.compareTo(LEAST) > 0 ? left : LEAST;
  }

  /**
   * Counts live processes of closed sessions. By default, 10 of them degrade health, and 20 trigger
   * a sweep.
   */
  public int strays() throws FolderRejected {
    Map<String, Integer> carried = Reaper.carriers(session -> true);
    return journal.closedOf(carried.keySet()).stream()
        .mapToInt(session -> carried.getOrDefault(session, 0))
        .sum();
  }

  /**
   * Deletes the rows of closed sessions, the old ones and those beyond the newest thousand, so that
   * the journal of a runner that is never restarted does not grow. A session with a live process is
   * kept. The others can have no process any more.
   */
  public void forget() throws FolderRejected {
    journal.forgetClosed(
        clock.millis() - KEPT.toMillis(), KEPT_ROWS, Reaper.carriers(session -> true).keySet());
  }

  /** Ends the strays; returns how many could not be ended. */
  public int endStrays() throws FolderRejected {
    return endedStrays().stream().mapToInt(Stray::survivors).sum();
  }

  /** Ends the strays; returns what was found of each session and what is left. */
  List<Stray> endedStrays() throws FolderRejected {
    var ended = new ArrayList<Stray>();
    long end = System.nanoTime() + LIMIT.toNanos();
    Map<String, Integer> carried = Reaper.carriers(each -> true);
    for (String session : journal.closedOf(carried.keySet())) {
      var reaped = Reaper.reap(session, Optional.empty(), left(end));
      ended.add(new Stray(session, carried.getOrDefault(session, 0), reaped.survivors()));
    }
    return ended;
  }

  /** The processes of a closed session: how many were found, and how many are left. */
  record Stray(String session, int found, int survivors) {}

  /**
   * What a sweep found and did.
   *
   * @param reaped sessions of dead runners, each with what was left of it
   * @param skipped sessions whose owner lives, or whose owner's state is not known here
   */
  public record Report(List<Reaped> reaped, List<JournalRow> skipped) {
    public Report {
      reaped = List.copyOf(reaped);
      skipped = List.copyOf(skipped);
    }

    /** How many sessions have processes that could not be ended; each of them takes a slot away. */
    public int unkillable() {
      return (int) reaped.stream().filter(one -> one.survivors() > 0).count();
    }

    /**
     * A session of a dead runner.
     *
     * @param processes live processes that were found
     * @param survivors those of the processes that still live
     * @param releasable whether this runner may release its lease: it ran on this boot and in this
     *     PID namespace, so its processes are known to be dead. Otherwise the lease must expire
     */
    public record Reaped(JournalRow row, int processes, int survivors, boolean releasable) {}
  }
}
