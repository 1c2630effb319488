package dev.flyball.runner.journal;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A sweep by hand, of a folder whose runner has exited. It ends what a runner would end at its
 * start. The journal stays as it is: its open rows let the next runner release their leases
 * immediately.
 */
public final class ManualSweep {
  private ManualSweep() {}

  /** The outcome for a session's processes. */
  public enum Outcome {
    /** None was found. */
    NOTHING("nothing found"),
    /** All were ended. */
    ENDED("ended"),
    /** Some could not be ended. */
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
   * One session of the journal.
   *
   * @param item empty for a session that had ended before
   * @param found live processes at the first scan
   * @param left those of the found processes that could not be ended
   */
  public record Remains(String session, String item, Outcome outcome, int found, int left) {}

  /**
   * Sweeps a runner's folder, which the caller has locked.
   *
   * @throws FolderRejected if it cannot be used
   */
  public static List<Remains> run(Path folder) throws IOException {
    try (Journal journal = Journal.open(folder)) {
      var sweep = new Sweep(journal, InstantSource.system());
      Sweep.Report report = sweep.end();
      var all = new ArrayList<Remains>();
      report
          .reaped()
          .forEach(each ->
              all.add(
                  remains(
                      each.row().session(),
                      each.row().item(),
                      each.processes(),
                      each.survivors())));
      report.skipped().forEach(row -> all.add(alone(row)));
      for (Sweep.Stray stray : sweep.endedStrays()) {
        all.add(remains(stray.session(), "", stray.found(), stray.survivors()));
      }
      return List.copyOf(all);
    }
  }

  private static Remains remains(String session, String item, int found, int left) {
    Outcome outcome = left > 0 ? Outcome.LEFT : found > 0 ? Outcome.ENDED : Outcome.NOTHING;
    return new Remains(session, item, outcome, found, left);
  }

  private static Remains alone(JournalRow row) {
    boolean here = row.owner().pidNamespace().equals(Identity.own().pidNamespace());
    return new Remains(
        row.session(), row.item(), here ? Outcome.OWNER_LIVES : Outcome.ELSEWHERE, 0, 0);
  }
}
