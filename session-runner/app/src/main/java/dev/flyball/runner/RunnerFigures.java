package dev.flyball.runner;

import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.events.DeadLetterOutbox;
import dev.flyball.runner.execution.LiveTrees;
import dev.flyball.runner.ledger.LedgerLoop;
import java.time.Duration;

/**
 * The metrics of a runner, each read from the part that owns its value whenever it is scraped.
 *
 * @param level the containment level that was found to work
 */
record RunnerFigures(
    LedgerLoop ledger,
    GateKeeper gate,
    LiveTrees trees,
    ProcessMonitor monitor,
    DeadLetterOutbox deadLetters,
    String level) {

  /** Shows them from now on. */
  void show(Telemetry telemetry) {
    telemetry.count(Metric.DEAD_LETTERS, 0);
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> ledger.view().live());
    telemetry.gauge(Metric.SESSIONS_CAP, () -> ledger.view().cap());
    telemetry.gauge(Metric.RUNNER_SESSIONS, () -> ledger.sessions().size());
    telemetry.gauge(Metric.RENEWAL_AGE, () -> seconds(ledger.ages().renewal()));
    telemetry.gauge(Metric.LEDGER_READ_AGE, () -> seconds(ledger.ages().read()));
    telemetry.gauge(Metric.LEDGER_REFUSED_APPENDS, ledger::refusedAppends);
    telemetry.gauge(Metric.DEAD_LETTERS_LOST, deadLetters::lost);
    telemetry.gauge(Metric.RUNNER_PROCESSES, trees::processes);
    telemetry.gauge(Metric.SURVIVORS, trees::survivors);
    telemetry.gauge(Metric.STRAYS, gate::strays);
    telemetry.gauge(Metric.SPAWNS, monitor::spawnsLastHour);
    telemetry.gauge(Metric.MEMORY_GROWTH, monitor::memoryGrowth);
    telemetry.gauge(Metric.RUNNER_CONTAINMENT, () -> 1, level);
    telemetry.gauge(Metric.RUNNER_SLOTS, gate::usableSlots);
    telemetry.gauge(Metric.RUNNER_ACCEPTS, () -> gate.open() ? 1 : 0);
    telemetry.gauge(Metric.LEDGER_OFFSET, () -> ledger.view().offset());
    telemetry.counter(Metric.LEDGER_ENTRIES, ledger::folded);
    telemetry.counter(Metric.RENEWAL_FAILURES, ledger::failedRenewals);
  }

  private static double seconds(Duration age) {
    return age.toMillis() / 1000.0;
  }
}
