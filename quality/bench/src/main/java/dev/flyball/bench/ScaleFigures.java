package dev.flyball.bench;

import java.util.Locale;

/**
 * What one phase of one size measured.
 *
 * @param longestTurn milliseconds of the simulation's slowest turn; latencies below it mean nothing
 * @param live sessions at its end
 * @param bytes by which the ledger's log grew
 * @param checkpointShare of those bytes
 * @param checkpoints of which the first part was appended
 * @param claims from the request's acknowledgement until its claim was folded
 * @param lostClaims claims without effect, for each with effect
 * @param foldMicros CPU of one runner's fold of all entries
 * @param turnMicros CPU of one runner's turns beside the fold
 * @param brokerShare of one core
 * @param realShare of one core that each real ledger thread took
 */
record ScaleFigures(
    double seconds,
    double longestTurn,
    int live,
    long entries,
    long bytes,
    double checkpointShare,
    long checkpoints,
    Figures appends,
    Figures claims,
    double lostClaims,
    double foldMicros,
    double turnMicros,
    double brokerShare,
    double realShare) {

  double entriesPerSecond() {
    return entries / seconds;
  }

  double bytesPerSecond() {
    return bytes / seconds;
  }

  /** Microseconds of CPU that one runner's fold takes for each live session and second. */
  double foldOfASession() {
    return foldMicros / seconds / live;
  }

  /** The same for a whole real ledger thread. */
  double threadOfASession() {
    return realShare * 1e6 / live;
  }

  void print(ScalePlan plan, String phase) {
    line(
        "%s, %.0f s: %d sessions, %d runners; the simulation's slowest turn took %.0f ms",
        phase, seconds, live, plan.runners(), longestTurn);
    line(
        "  ledger: %.1f entries/s, %.1f KB/s, %.0f %% of it %d checkpoints; to %d runners %.2f"
            + " MB/s",
        entriesPerSecond(),
        bytesPerSecond() / 1e3,
        checkpointShare * 100,
        checkpoints,
        plan.runners(),
        bytesPerSecond() * plan.runners() / 1e6);
    line("  append: %s", percentiles(appends));
    line("  claim:  %s, %.2f lost for each", percentiles(claims), lostClaims);
    line(
        "  fold: %.1f us an entry, %.3f us for each session and second; turns %.3f us;"
            + " fold and turns %.2f %% of a core",
        foldMicros / entries,
        foldOfASession(),
        turnMicros / seconds / live,
        (foldMicros + turnMicros) / seconds / 1e4);
    line("  broker: %.1f %% of a core; load %s", brokerShare * 100, Proc.loadAverage());
    if (realShare > 0) {
      line(
          "  each of %d real ledger threads: %.2f %% of a core, %.3f us for each session and"
              + " second",
          plan.joining(), realShare * 100, threadOfASession());
    }
  }

  private static String percentiles(Figures of) {
    return String.format(
        Locale.ROOT,
        "p50 %.1f  p95 %.1f  p99 %.1f  max %.1f ms (n=%d)",
        of.at(50),
        of.at(95),
        of.at(99),
        of.at(100),
        of.sorted().length);
  }

  private static void line(String format, Object... values) {
    System.out.printf(Locale.ROOT, "   " + format + "%n", values);
  }
}
