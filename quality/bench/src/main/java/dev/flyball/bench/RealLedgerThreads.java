package dev.flyball.bench;

import dev.flyball.contract.session.Route;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.gate.GateDecision;
import dev.flyball.runner.ledger.LedgerLoop;
import dev.flyball.runner.ledger.RunnerCallbacks;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Whole ledger threads of runners, with their Kafka clients, which claim and run beside the
 * simulated ones. What they take calibrates the simulation.
 */
final class RealLedgerThreads implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final int AT_A_TIME = 10;
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private final List<LedgerLoop> loops = new ArrayList<>();
  private final ScheduledExecutorService ends = Executors.newSingleThreadScheduledExecutor();

  /** Starts them, some at a time; returns when all have read the ledger. */
  void start(KafkaClients clients, ScalePlan plan) {
    for (int number = 0; number < plan.joining(); number++) {
      var runner = new RunnerOfOneThread("real-" + number, plan.length());
      var loop = new LedgerLoop(clients, plan.times(), plan.seed(), runner, new ElapsedClock());
      runner.loop = loop;
      loops.add(loop);
      loop.start();
      if (loops.size() % AT_A_TIME == 0 || loops.size() == plan.joining()) {
        Awaitility.await()
            .atMost(START_LIMIT)
            .until(() -> loops.stream().allMatch(each -> each.view().read()));
      }
    }
  }

  /** CPU seconds that their ledger threads have taken. */
  double cpuSeconds() {
    long nanos = 0;
    for (ThreadInfo each : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (each != null && each.getThreadName().equals("flyball-ledger")) {
        nanos += THREADS.getThreadCpuTime(each.getThreadId());
      }
    }
    return nanos / 1e9;
  }

  /** Fails if one of them is in trouble: then its figures are those of an overload. */
  void check() {
    for (LedgerLoop loop : loops) {
      if (loop.halted().isPresent()) {
        throw new AssertionError("a real ledger thread halted: " + loop.halted().get());
      }
    }
  }

  @Override
  public void close() {
    loops.parallelStream().forEach(LedgerLoop::stop);
    ends.shutdownNow();
  }

  /** A runner whose sessions are only time that passes. */
  private final class RunnerOfOneThread implements RunnerCallbacks {
    private final Self self;
    private final Duration length;
    private volatile @Nullable LedgerLoop loop;

    RunnerOfOneThread(String id, Duration length) {
      Map<String, Long> reserves = Map.of(Route.DEFAULT, ScalePlan.RESERVE);
      this.self = new Self(id, "A", ScalePlan.SLOTS, reserves);
      this.length = length;
    }

    @Override
    public Self self() {
      return self;
    }

    @Override
    public Gate gate() {
      return held ->
          held < ScalePlan.SLOTS
              ? new GateDecision.Open()
              : new GateDecision.Refused(GateDecision.Kind.SLOTS, "none free");
    }

    @Override
    public void begin(SessionHandle session) {
      var _ = ends.schedule(() -> end(session), length.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void end(SessionHandle session) {
      LedgerLoop to = loop;
      if (to != null) {
        to.dead(LiveSessions.release(session.usage(), length.toMillis()));
      }
    }

    @Override
    public void deadLetter(ConsumerRecord<String, byte[]> consumed, String reason) {
      throw new AssertionError(reason);
    }
  }
}
