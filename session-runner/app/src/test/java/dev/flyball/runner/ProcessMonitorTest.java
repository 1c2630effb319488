package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.execution.LiveTrees;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Processes of ended sessions, watched (S4-13, S4-15, INV-5)")
class ProcessMonitorTest implements ProcessMonitor.Sweeps, EventSink {
  private static final int SLOTS = 4;

  @TempDir Path proc;
  private final List<LifecycleEvent> events = new ArrayList<>();
  private final LiveTrees trees = new LiveTrees();
  private final List<Sweep.Remains> found = new ArrayList<>();
  private int sweeps;
  private int strays;
  private boolean broken;
  private long now;
  private GateKeeper gate;
  private ProcessMonitor monitor;

  @BeforeEach
  void runner() {
    var machine = new MachineReadings(proc);
    gate = new GateKeeper(GateLimits.DEFAULT, SLOTS, machine, () -> 0, () -> now, change -> {});
    monitor =
        new ProcessMonitor(
            this, RunnerConfig.defaults("r1", proc, proc), gate, trees, this, () -> now);
  }

  @Test
  @DisplayName("what a sweep could not end is swept again, and its slots come back")
  void survivorsAreSweptAgain() throws IOException {
    for (int i = 0; i < SLOTS; i++) {
      found.add(reaped(i, 1));
    }
    monitor.sweep();
    assertThat(gate.refusal(0)).isPresent();
    assertThat(trees.survivors()).isEqualTo(4);

    found.clear();
    for (int i = 0; i < SLOTS; i++) {
      found.add(reaped(i, 0));
    }
    after(Duration.ofSeconds(29));
    assertThat(sweeps).isEqualTo(1);
    after(Duration.ofSeconds(1));

    assertThat(sweeps).isEqualTo(2);
    assertThat(gate.refusal(0)).isEmpty();
    assertThat(gate.unkillable()).isZero();
    assertThat(trees.survivors()).isZero();
    assertThat(gate.health().status()).isEqualTo(Health.Status.HEALTHY);
    assertThat(survivors()).containsExactly(1L, 1L, 1L, 1L, 0L, 0L, 0L, 0L);
  }

  @Test
  @DisplayName("where nothing survived there is no second sweep")
  void oneSweepIsEnough() throws IOException {
    found.add(reaped(0, 0));
    monitor.sweep();

    after(Duration.ofHours(1));

    assertThat(sweeps).isEqualTo(1);
    assertThat(survivors()).containsExactly(0L);
  }

  @Test
  @DisplayName("survivors are reported when they are found, and every ten minutes while they live")
  void survivorsAreReportedNowAndThen() throws IOException {
    found.add(reaped(0, 3));
    monitor.sweep();
    for (int i = 0; i < 30; i++) {
      after(Duration.ofSeconds(30));
    }

    assertThat(sweeps).isEqualTo(31);
    assertThat(survivors()).containsExactly(3L, 3L);
    assertThat(events)
        .allSatisfy(event -> {
          assertThat(event.type()).isEqualTo(EventType.SESSION_ORPHAN_REAPED);
          assertThat(event.subject()).isEqualTo("acme/web/0");
          assertThat(event.data().text(Field.SESSION)).contains("session-0");
        });
  }

  @Test
  @DisplayName("a count that fails leaves the last one, and the next goes on")
  void aFailedCountChangesNothing() throws IOException {
    monitor.sweep();
    strays = 12;
    monitor.check();
    broken = true;
    strays = 0;
    monitor.check();
    assertThat(gate.strays()).isEqualTo(12);

    broken = false;
    monitor.check();

    assertThat(gate.strays()).isZero();
  }

  @Test
  @DisplayName("S4-7: this process's memory is compared with an hour ago")
  void memoryGrowthIsWatched() throws IOException {
    resident(1000);
    monitor.check();
    resident(1500);
    after(Duration.ofMinutes(30));

    assertThat(monitor.memoryGrowth()).isEqualTo(500 * 1024);
    assertThat(monitor.spawnsLastHour()).isZero();
  }

  @Test
  @DisplayName("S4-1: agents that were started within the last hour are counted")
  void startsAreCounted() throws Exception {
    monitor.check();
    for (int i = 0; i < 1010; i++) {
      trees.started(trees.starting("session-" + i));
    }
    after(Duration.ofMinutes(59));
    assertThat(monitor.spawnsLastHour()).isEqualTo(1010);

    after(Duration.ofMinutes(2));
    after(Duration.ofMinutes(60));
    assertThat(monitor.spawnsLastHour()).isZero();
  }

  private void after(Duration time) {
    now += time.toNanos();
    monitor.check();
  }

  private void resident(int kilobytes) throws IOException {
    Path status = proc.resolve("self").resolve("status");
    Files.createDirectories(status.getParent());
    Files.writeString(status, "Name: java\nVmRSS:\t " + kilobytes + " kB\n");
  }

  private List<Long> survivors() {
    return events.stream()
        .map(event -> event.data().number(Field.SURVIVORS).orElseThrow())
        .toList();
  }

  private static Sweep.Remains reaped(int number, int survivors) {
    var row =
        new Journal.Row(
            "session-" + number,
            "acme/web/" + number,
            "topic:1",
            "A",
            Identity.own(),
            Optional.empty(),
            0);
    return new Sweep.Remains(row, Sweep.Outcome.ENDED, 1, survivors, survivors == 0);
  }

  @Override
  public List<Sweep.Remains> sweep() {
    sweeps++;
    return found;
  }

  @Override
  public int strays(int endFrom) throws IOException {
    assertThat(endFrom).isEqualTo(20);
    if (broken) {
      throw new IOException("broken");
    }
    return strays;
  }

  @Override
  public CompletableFuture<Void> publish(LifecycleEvent event) {
    events.add(event);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void offer(LifecycleEvent event) {
    throw new AssertionError("reports of survivors must arrive");
  }

  @Override
  public boolean offer(String session, OutputChunk chunk) {
    throw new AssertionError("there is no output");
  }
}
