package dev.flyball.runner;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.events.SessionEvents;
import dev.flyball.runner.events.SessionPublisher;
import dev.flyball.runner.journal.JournalRow;
import dev.flyball.runner.journal.SweepReport;
import dev.flyball.runner.ledger.LedgerLoop;
import dev.flyball.runner.ledger.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens between a runner's start and its first claim, on a thread of its own while health
 * answers already: the sweep first, then the ledger. Afterwards the thread counts strays.
 */
final class Boot implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Boot.class);
  private static final Duration STRAYS_EVERY = Duration.ofSeconds(5);

  private final RunnerConfig config;
  private final RunnerHost host;
  private final GateKeeper gate;
  private final SessionPublisher events;
  private final LedgerLoop ledger;
  private final Watchdog watchdog;
  private final InstantSource clock = InstantSource.system();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("flyball-boot").unstarted(this::run);
  // Written by the thread, read by health.
  private volatile @Nullable String failed;

  Boot(
      RunnerConfig config,
      RunnerHost host,
      GateKeeper gate,
      SessionPublisher events,
      LedgerLoop ledger,
      Watchdog watchdog) {
    this.config = config;
    this.host = host;
    this.gate = gate;
    this.events = events;
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
      SweepReport swept = host.sweep();
      swept.reaped().stream()
          .filter(SweepReport.Reaped::releasable)
          .map(Boot::predecessors)
          .forEach(ledger::dead);
      swept.reaped().stream().filter(each -> each.processes() > 0).forEach(this::orphan);
      gate.swept(swept.unkillable());
      ledger.start();
      watchdog.start();
      countStrays();
    } catch (InterruptedException e) {
      log.debug("boot thread stopped");
    } catch (IOException | RuntimeException | Error e) {
      // Before the sweep has ended nothing may be claimed, and afterwards nobody would watch.
      log.error("runner did not come up", e);
      failed = "start failed: " + e + "; fix it and start the runner again";
      ledger.unusable(failed);
    }
  }

  private void countStrays() throws InterruptedException {
    while (true) {
      gate.strays(strays());
      Thread.sleep(STRAYS_EVERY);
    }
  }

  private int strays() {
    try {
      return host.strays(config.gate().straySweep());
    } catch (IOException | RuntimeException | Error e) {
      // A look at /proc that fails for once is no reason to end what runs.
      log.warn("stray processes not counted: {}", e.getMessage());
      return gate.strays();
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
        Timings.ZERO,
        0,
        0,
        new Receipt(
            reaped.row().level(), reaped.processes(), 0, List.of("KILL"), reaped.survivors()));
  }

  private void orphan(SweepReport.Reaped reaped) {
    JournalRow row = reaped.row();
    log.warn(
        "session {} of an earlier runner: {} processes ended", row.session(), reaped.processes());
    EventData data =
        EventData.EMPTY
            .with(Field.SESSION, row.session())
            .with(Field.TOKEN, row.token())
            .with(Field.ITEM, row.item())
            .with(Field.RUNNER, config.runnerId())
            .with(Field.PROCESSES, reaped.processes())
            .with(Field.SURVIVORS, reaped.survivors());
    var _ =
        events.publish(
            new SessionEvents(
                    config.runnerId(), ItemKey.parse(row.item()), row.session(), data, clock)
                .event(EventType.SESSION_ORPHAN_REAPED, EventData.EMPTY));
  }
}
