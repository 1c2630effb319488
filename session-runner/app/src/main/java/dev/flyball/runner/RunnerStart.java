package dev.flyball.runner;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.runner.ledger.LedgerLoop;
import dev.flyball.runner.ledger.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what happens between a runner's start and its first claim, on a separate thread, so that
 * health already answers. The sweep comes first, then the ledger. Afterwards the thread watches
 * processes.
 */
final class RunnerStart implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunnerStart.class);
  private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

  private final ProcessMonitor monitor;
  private final Runnable sweepTrees;
  private final LedgerLoop ledger;
  private final Watchdog watchdog;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("flyball-boot").unstarted(this::run);
  // Written by the thread, read by health.
  private volatile @Nullable String failed;

  /**
   * Starts nothing yet.
   *
   * @param sweepTrees removes what the sessions that the process sweep ended left on the disk
   */
  RunnerStart(ProcessMonitor monitor, Runnable sweepTrees, LedgerLoop ledger, Watchdog watchdog) {
    this.monitor = monitor;
    this.sweepTrees = sweepTrees;
    this.ledger = ledger;
    this.watchdog = watchdog;
  }

  void start() {
    thread.start();
  }

  /** Why the runner did not start; null if no trouble is known. */
  @Nullable String failure() {
    return failed;
  }

  /**
   * Returns when the thread has ended, because it must not start other parts after those were
   * stopped.
   */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(Duration.ofSeconds(12));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      monitor.sweep().reaped().stream()
          .filter(Sweep.Report.Reaped::releasable)
          .map(RunnerStart::predecessors)
          .forEach(ledger::dead);
      sweepTrees.run();
      ledger.start();
      watchdog.start();
      while (true) {
        monitor.check();
        Thread.sleep(CHECK_EVERY);
      }
    } catch (InterruptedException e) {
      log.debug("start interrupted");
    } catch (IOException | RuntimeException | Error e) {
      // Nothing may be claimed before the sweep has ended, and without this thread nothing watches
      // processes.
      log.error("runner did not start", e);
      failed = "start failed: " + e + "; fix it and start the runner again";
      ledger.unusable(failed);
    }
  }

  /**
   * Builds the release of a predecessor's session. No runner saw the session end, but its processes
   * are verified dead: its lease need not wait for another runner to expire it.
   */
  private static LedgerEntry.Release predecessors(Sweep.Report.Reaped reaped) {
    return new LedgerEntry.Release(
        reaped.row().session(),
        Outcome.LOST,
        "its runner ended before it",
        null,
        null,
        null,
        Timings.ZERO,
        0,
        0,
        new Receipt(
            reaped.row().level(), reaped.processes(), 0, List.of("KILL"), reaped.survivors()));
  }
}
