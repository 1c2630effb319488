package dev.flyball.contract.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The containment receipt of an ended session: how large its tree grew, and how the tree was ended.
 *
 * @param level containment level, A+, A or B; null if nothing was started
 * @param processesPeak most processes seen at one time, the agent itself included
 * @param memoryPeakBytes largest sum of resident memory seen, in bytes
 * @param killSteps the steps that ended the tree, in order, for example {@code TERM}, {@code KILL};
 *     empty if it ended by itself
 * @param survivors processes still alive after the last step; null if unknown ({@code lost})
 */
public record Receipt(
    @Nullable String level,
    int processesPeak,
    long memoryPeakBytes,
    List<String> killSteps,
    @Nullable Integer survivors) {

  public Receipt {
    killSteps = List.copyOf(killSteps);
  }

  /** The receipt of a session whose agent was never started. */
  public static Receipt notStarted() {
    return new Receipt(null, 0, 0, List.of(), 0);
  }

  /** Whether no agent was started, so that the session cost nothing. */
  public boolean unstarted() {
    return equals(notStarted());
  }

  /** The receipt of a session of which nothing is known, for example a lost one. */
  public static Receipt unknown() {
    return new Receipt(null, 0, 0, List.of(), null);
  }
}
