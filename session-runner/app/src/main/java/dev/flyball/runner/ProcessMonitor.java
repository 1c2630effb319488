package dev.flyball.runner;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.execution.LiveTrees;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the processes of sessions that have ended. It sweeps what earlier runners left, sweeps
 * again while some of it lives, counts strays, and reads how much disk is free. It reports to the
 * gate, health, metrics and events. One thread.
 */
final class ProcessMonitor {
  private static final Logger log = LoggerFactory.getLogger(ProcessMonitor.class);
  private static final long SWEEP_AGAIN_NANOS = Duration.ofSeconds(30).toNanos();

  private final Sweeps sweeps;
  private final RunnerConfig config;
  private final GateKeeper gate;
  private final LiveTrees trees;
  private final EventSink events;
  private final LongSupplier elapsed;
  private final InstantSource clock = InstantSource.system();
  private final HourGrowth spawns = new HourGrowth();
  private final HourGrowth memory = new HourGrowth();
  private long sweptAt;

  /** The operations on processes. */
  interface Sweeps {
    /** Ends what earlier runners of this data folder left behind. */
    List<Sweep.Remains> sweep() throws IOException;

    /** Counts live processes of closed sessions; from {@code endFrom} on it tries to end them. */
    int strays(int endFrom) throws IOException;
  }

  ProcessMonitor(
      Sweeps sweeps,
      RunnerConfig config,
      GateKeeper gate,
      LiveTrees trees,
      EventSink events,
      LongSupplier elapsed) {
    this.sweeps = sweeps;
    this.config = config;
    this.gate = gate;
    this.trees = trees;
    this.events = events;
    this.elapsed = elapsed;
  }

  /**
   * Ends what earlier runners left, before the first claim. A session whose processes cannot be
   * ended takes a slot away, which it gives back once they have ended.
   */
  List<Sweep.Remains> sweep() throws IOException {
    List<Sweep.Remains> swept = sweeps.sweep();
    sweptAt = elapsed.getAsLong();
    swept.stream().filter(each -> !each.skipped()).forEach(this::reaped);
    gate.swept((int) swept.stream().filter(each -> each.left() > 0).count());
    return swept;
  }

  /** Agents started within the last hour; any thread. */
  double spawnsLastHour() {
    return spawns.growth();
  }

  /** By how many bytes this process's resident memory grew within the last hour; any thread. */
  double memoryGrowth() {
    return memory.growth();
  }

  /** Counts strays, and tries again to end what a sweep could not. */
  void check() {
    try {
      spawns.sample((double) trees.spawned(), elapsed.getAsLong());
      memory.sample((double) gate.ownMemoryBytes(), elapsed.getAsLong());
      gate.diskFree(Files.getFileStore(config.dataDir()).getUsableSpace());
      gate.strays(sweeps.strays(GateLimits.STRAYS_SWEEP));
      if (gate.unkillable() > 0 && elapsed.getAsLong() - sweptAt >= SWEEP_AGAIN_NANOS) {
        var _ = sweep();
      }
    } catch (IOException | RuntimeException | Error e) {
      // One reading of /proc that fails is no reason to end what runs.
      log.warn("processes of ended sessions not checked: {}", e.getMessage());
    }
  }

  private void reaped(Sweep.Remains reaped) {
    Journal.Row row = reaped.row();
    if (reaped.left() == 0) {
      var _ = trees.gone(row.session());
      log.info(
          "nothing is left of an earlier runner's session: session={} ended={}",
          row.session(),
          reaped.found());
      say(reaped);
    } else if (trees.unkillable(row.session(), reaped.left(), elapsed.getAsLong())) {
      log.error("processes cannot be ended: session={} survivors={}", row.session(), reaped.left());
      say(reaped);
    }
  }

  private void say(Sweep.Remains reaped) {
    Journal.Row row = reaped.row();
    EventData data =
        EventData.EMPTY
            .with(Field.SESSION, row.session())
            .with(Field.TOKEN, row.token())
            .with(Field.ITEM, row.item())
            .with(Field.RUNNER, config.runnerId())
            .with(Field.PROCESSES, reaped.found())
            .with(Field.SURVIVORS, reaped.left());
    var _ =
        events.publish(
            new LifecycleEvent(
                UUID.randomUUID().toString(),
                EventType.SESSION_ORPHAN_REAPED,
                "/runner/" + config.runnerId(),
                row.item(),
                clock.instant(),
                data));
  }

  /** How much a figure has grown within the last hour, by its first value in each minute. */
  static final class HourGrowth {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    /** By minute, the oldest at most an hour ago; guarded by this. */
    private final TreeMap<Long, Double> values = new TreeMap<>();

    private double newest;

    /** Takes the figure's present value. */
    synchronized void sample(double value, long nowNanos) {
      newest = value;
      values.putIfAbsent(nowNanos / MINUTE, value);
      values.headMap(nowNanos / MINUTE - 60).clear();
    }

    /** The present value less that of an hour ago, or less the first one of a shorter time. */
    synchronized double growth() {
      return values.isEmpty() ? 0 : newest - values.firstEntry().getValue();
    }
  }
}
