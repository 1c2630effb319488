package dev.flyball.runner.journal;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.kill.Reaper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Ends what dead runners on this folder left behind, before the first claim, and nothing else.
 *
 * @param clock stamps the rows that it closes
 */
public record Sweep(Journal journal, InstantSource clock) {
  /** The time limit for all rows together, since nothing is claimed before. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** The least time for each row, however long the rows before it took. */
  private static final Duration LEAST = Duration.ofMillis(500);

  /** How long a closed session is kept. */
  private static final Duration KEPT = Duration.ofDays(7);

  /**
   * What was found of one session, and what became of it.
   *
   * @param found live processes at the first scan
   * @param left those of the found processes that could not be ended
   * @param releasable whether this runner may release its lease: it ran on this boot and in this
   *     PID namespace, so its processes are known to be dead. Otherwise the lease must expire
   */
  public record Remains(Journal.Row row, Outcome outcome, int found, int left, boolean releasable) {

    private static Remains of(Journal.Row row, int found, int left, boolean releasable) {
      Outcome outcome = left > 0 ? Outcome.LEFT : found > 0 ? Outcome.ENDED : Outcome.NOTHING;
      return new Remains(row, outcome, found, left, releasable);
    }

    /** Whether it was not touched: its owner lives, or nothing is known of the owner. */
    public boolean skipped() {
      return outcome == Outcome.OWNER_LIVES || outcome == Outcome.ELSEWHERE;
    }
  }

  /** The outcome for a session's processes. */
  public enum Outcome {
    NOTHING("nothing found"),
    ENDED("ended"),
    LEFT("left"),
    /** Its runner lives: the folder is a copy. */
    OWNER_LIVES("its runner lives"),
    /** Its runner is in another PID namespace, so nothing is known of it here. */
    ELSEWHERE("another container's");

    private final String label;

    Outcome(String label) {
      this.label = label;
    }

    /** The outcome as shown to a person. */
    public String label() {
      return label;
    }
  }

  /**
   * Sweeps by hand a folder whose runner has exited, and which the caller has locked. It ends what
   * a runner would end at its start. The journal stays as it is: its open rows let the next runner
   * release their leases immediately.
   *
   * @throws IOException if it cannot be used
   */
  public static List<Remains> byHand(Path folder) throws IOException {
    try (Journal journal = Journal.open(folder)) {
      var sweep = new Sweep(journal, InstantSource.system());
      var all = new ArrayList<>(sweep.end());
      all.addAll(sweep.endedStrays());
      return all;
    }
  }

  /** Checks every open row; closes the rows of which no process is left. */
  public List<Remains> run() throws IOException {
    List<Remains> all = end();
    for (Remains each : all) {
      if (each.outcome() == Outcome.ELSEWHERE) {
        journal.forget(each.row().session());
      } else if (!each.skipped() && each.left() == 0) {
        journal.closed(each.row().session(), clock.millis());
      }
    }
    return all;
  }

  /** Ends what is left of every open row, and changes nothing in the journal. */
  private List<Remains> end() throws IOException {
    Identity own = Identity.own();
    var all = new ArrayList<Remains>();
    long end = System.nanoTime() + LIMIT.toNanos();
    for (Journal.Row row : journal.open()) {
      boolean sameBoot = row.owner().bootId().equals(own.bootId());
      boolean here = sameBoot && row.owner().pidNamespace().equals(own.pidNamespace());
      // In a copied folder, or for a runner of this same JVM, the owner looks after the row. From
      // another PID namespace nothing is known of the owner, not even that it is dead: the folder
      // may be a copy.
      if (sameBoot && (!here || row.owner().alive())) {
        Outcome outcome = here ? Outcome.OWNER_LIVES : Outcome.ELSEWHERE;
        all.add(new Remains(row, outcome, 0, 0, false));
        continue;
      }
      var process = here ? row.process() : Optional.<Identity>empty();
      var ended = Reaper.reap(row.session(), process, left(end));
      boolean releasable = here && ended.survivors() == 0;
      all.add(Remains.of(row, ended.found(), ended.survivors(), releasable));
    }
    return all;
  }

  private static Duration left(long end) {
    Duration left = Duration.ofNanos(end - System.nanoTime());
    return left.compareTo(LEAST) > 0 ? left : LEAST;
  }

  /**
   * Counts live processes of closed sessions, and ends them first if there are at least {@code
   * endFrom}. Deletes the old rows of closed sessions without one, so that the journal of a runner
   * that is never restarted does not grow.
   */
  public int strays(int endFrom) throws IOException {
    Map<String, Integer> carried = Reaper.carriers(session -> true);
    int strays =
        journal.closedOf(carried.keySet()).stream()
            .mapToInt(row -> carried.getOrDefault(row.session(), 0))
            .sum();
    journal.forgetClosed(clock.millis() - KEPT.toMillis(), carried.keySet());
    return strays < endFrom ? strays : endedStrays().stream().mapToInt(Remains::left).sum();
  }

  private List<Remains> endedStrays() throws IOException {
    var ended = new ArrayList<Remains>();
    long end = System.nanoTime() + LIMIT.toNanos();
    Map<String, Integer> carried = Reaper.carriers(each -> true);
    for (Journal.Row row : journal.closedOf(carried.keySet())) {
      var reaped = Reaper.reap(row.session(), Optional.empty(), left(end));
      int found = carried.getOrDefault(row.session(), 0);
      ended.add(Remains.of(row, found, reaped.survivors(), false));
    }
    return ended;
  }
}
