package dev.flyball.runner;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.journal.SweepReport;
import dev.flyball.runner.ledger.LedgerLoop;
import dev.flyball.runner.ledger.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens between a runner's start and its first claim, on a thread of its own while health
 * answers already: the sweep first, then the ledger. Afterwards the thread watches processes.
 */
final class Boot implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Boot.class);
  private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

  private final ProcessMonitor monitor;
  private final LedgerLoop ledger;
  private final Watchdog watchdog;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("flyball-boot").unstarted(this::run);
  // Written by the thread, read by health.
  private volatile @Nullable String failed;

  Boot(ProcessMonitor monitor, LedgerLoop ledger, Watchdog watchdog) {
    this.monitor = monitor;
    this.ledger = ledger;
    this.watchdog = watchdog;
  }

  void start() {
    thread.start();
  }

  /** Why the runner did not come up; null if nothing is known to be wrong. */
  @Nullable String failure() {
    return failed;
  }

  /** Returns when the thread has ended: it must not start others after those were stopped. */
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
          .filter(SweepReport.Reaped::releasable)
          .map(Boot::predecessors)
          .forEach(ledger::dead);
      ledger.start();
      watchdog.start();
      while (true) {
        monitor.check();
        Thread.sleep(CHECK_EVERY);
      }
    } catch (InterruptedException e) {
      log.debug("boot thread stopped");
    } catch (IOException | RuntimeException | Error e) {
      // Before the sweep has ended nothing may be claimed, and afterwards nobody would watch.
      log.error("runner did not come up", e);
      failed = "start failed: " + e + "; fix it and start the runner again";
      ledger.unusable(failed);
    }
  }

  /** Nobody saw its end, but it is verified dead: its lease need not wait for a witness. */
  private static LedgerEntry.Release predecessors(SweepReport.Reaped reaped) {
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
