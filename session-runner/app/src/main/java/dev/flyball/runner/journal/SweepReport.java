package dev.flyball.runner.journal;

import java.util.List;

/**
 * What a sweep found and did.
 *
 * @param reaped sessions of dead runners, each with what was left of it
 * @param leftAlone sessions whose owner lives, or whose owner's state is not known here
 */
public record SweepReport(List<Reaped> reaped, List<JournalRow> leftAlone) {
  public SweepReport {
    reaped = List.copyOf(reaped);
    leftAlone = List.copyOf(leftAlone);
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
