package dev.flyball.bench;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.runner.protocol.LeaseTimes;
import java.time.Duration;
import java.util.List;

/**
 * One size of the simulated installation.
 *
 * @param sessions live at one time, in the mean
 * @param length of each session; as many begin as end, so {@code sessions / length} begin a second
 * @param seconds of each of the two measured phases
 * @param real most real ledger threads that join for the second phase; 0 skips it
 */
record ScalePlan(int sessions, Duration length, int seconds, int real) {
  /** Sessions of one runner, in the mean. */
  static final int OF_A_RUNNER = 10;

  /** A fifth of the slots is free: nearly every runner competes for every request. */
  static final int SLOTS = 12;

  /** Micro-dollars that each claim holds back. */
  static final long RESERVE = 500_000;

  /** More folds than this take more memory and CPU than one small machine has. */
  private static final int MOST_FOLDS = 100;

  /**
   * Folds beyond that number of runners. One thread feeds them all, so each adds to the latencies;
   * few of them show those of runners that have a machine each.
   */
  private static final int FOLDS = Integer.getInteger("scale.folds", MOST_FOLDS / 2);

  private static final long PLENTY = 1_000_000_000_000_000L;

  int runners() {
    return sessions / OF_A_RUNNER;
  }

  /** Runners that fold for themselves. The others share one fold. */
  int folds() {
    return runners() <= MOST_FOLDS ? runners() : FOLDS;
  }

  /** Real ledger threads that join for the second phase. */
  int joining() {
    return Math.min(real, runners());
  }

  static String runner(int number) {
    return "runner-" + number;
  }

  int cap() {
    return runners() * SLOTS;
  }

  /** Requests a second. */
  double rate() {
    return (double) sessions / length.toSeconds();
  }

  LeaseTimes times() {
    return LeaseTimes.DEFAULTS;
  }

  /** With a budget for each session's scopes, so that the fold books what is spent. */
  LedgerEntry.Init seed() {
    var plenty = new Limits(PLENTY, null);
    return new LedgerEntry.Init(
        cap(),
        times().lease().toMillis(),
        List.of(
            new LedgerEntry.ScopedLimits(Scope.GLOBAL, plenty),
            new LedgerEntry.ScopedLimits(Scope.tenant("bench"), plenty)));
  }
}
