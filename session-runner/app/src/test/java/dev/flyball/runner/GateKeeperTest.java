package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.gate.GateRefusal.Kind;
import dev.flyball.runner.gate.MachineReadings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A runner's gate over a machine whose /proc is a folder (S0-28, S0-39, S4-13, S0-7)")
class GateKeeperTest {
  private static final int CPUS = Runtime.getRuntime().availableProcessors();

  @TempDir Path proc;
  private final List<Optional<String>> changes = new ArrayList<>();
  private final AtomicInteger hanging = new AtomicInteger();
  private long now;
  private GateKeeper gate;

  @BeforeEach
  void anIdleMachine() throws IOException {
    load(0);
    memory(4096);
    pressure(0);
    gate = gate();
    gate.swept(0);
  }

  @ParameterizedTest(name = "{0} sessions, load {1}, {2} MB, pressure {3}, {4} strays: {5}")
  @CsvSource({
    "1,    0,  512,  0,   0, ",
    "4,    0, 4096,  0,   0, SLOTS",
    "1, 0.79, 4096,  0,   0, ",
    "1,  0.8, 4096,  0,   0, LOAD",
    "1,    0,  511,  0,   0, MEMORY",
    "1,    0, 4096, 40,   0, ",
    "1,    0, 4096, 41,   0, PRESSURE",
    "1,    0, 4096,  0,  19, ",
    "1,    0, 4096,  0,  20, STRAYS",
    "0,   99,    0, 99, 500, ",
  })
  @DisplayName("each reading has its limit; a runner without a live session always lets one start")
  void eachReadingHasItsLimit(
      int live, double loadPerCpu, int memory, int pressure, int strays, @Nullable Kind kind)
      throws IOException {
    load(loadPerCpu * CPUS);
    memory(memory);
    pressure(pressure);
    gate.strays(strays);

    assertThat(refused(live)).isEqualTo(Optional.ofNullable(kind));
  }

  @Test
  @DisplayName("below 256 MB of free disk nothing starts, not even the first session")
  void aDiskThatIsAlmostFullShutsIt() {
    gate.diskFree((256L << 20) - 1);

    assertThat(refused(0)).contains(Kind.DISK);
    assertThat(gate.health().reasons()).singleElement().asString().startsWith("255 MB of disk");
    assertThat(changes).last().satisfies(said -> assertThat(said).isPresent());

    gate.diskFree(256L << 20);
    assertThat(refused(0)).isEmpty();
    assertThat(gate.health().reasons()).isEmpty();
  }

  @Test
  @DisplayName("the machine is read at most four times a second")
  void readingsAreKeptForAMoment() throws IOException {
    load(99);
    now += Duration.ofMillis(249).toNanos();
    assertThat(gate.refusal(1)).isEmpty();

    now += Duration.ofMillis(2).toNanos();
    assertThat(gate.refusal(1)).isPresent();
  }

  @Test
  @DisplayName("what a reading says is heard once, when it begins and when it ends")
  void onlyChangesAreSaid() throws IOException {
    load(99);
    refused(1);
    refused(1);
    load(98);
    refused(1);
    load(0);
    refused(1);
    refused(4);

    assertThat(changes).hasSize(2);
    assertThat(changes.getFirst()).hasValueSatisfying(why -> assertThat(why).contains("99.00"));
    assertThat(changes.getLast()).isEmpty();
  }

  @Test
  void tenStrayProcessesAreSaid() {
    gate.strays(9);
    assertThat(gate.health().status()).isEqualTo(Health.Status.HEALTHY);

    gate.strays(10);
    assertThat(gate.health().status()).isEqualTo(Health.Status.DEGRADED);
  }

  @Test
  @DisplayName("what a sweep could not end takes slots away until a later one ends it")
  void slotsComeBack() {
    gate.swept(4);

    assertThat(refused(0)).contains(Kind.UNKILLABLE);
    assertThat(gate.health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(gate.unkillable()).isEqualTo(4);

    gate.swept(2);
    assertThat(refused(1)).isEmpty();
    assertThat(refused(2)).contains(Kind.UNKILLABLE);
    assertThat(refused(4)).contains(Kind.SLOTS);
    gate.swept(0);

    assertThat(refused(3)).isEmpty();
    assertThat(gate.health().status()).isEqualTo(Health.Status.HEALTHY);
  }

  @Test
  void nothingStartsBeforeTheSweep() {
    assertThat(gate().refusal(0).map(GateRefusal::kind)).contains(Kind.SWEEPING);
  }

  @Test
  @DisplayName(
      "the cap is said once while it stops claims, and once when it no longer does (S0-28)")
  void theCapIsSaidOnChanges() {
    gate.capped(true, 3);
    gate.capped(true, 3);
    now += Duration.ofSeconds(1).toNanos();
    gate.capped(false, 3);
    gate.capped(true, 3);
    assertThat(changes).containsExactly(Optional.of("global session limit reached (3)"));

    now += Duration.ofSeconds(11).toNanos();
    gate.capped(false, 3);

    assertThat(changes).hasSize(2);
    assertThat(changes.getLast()).isEmpty();
  }

  @Test
  @DisplayName("a reason of the runner's own gate hides the cap: it would not claim anyway")
  void anOwnRefusalComesFirst() throws IOException {
    gate.capped(true, 3);
    load(99);
    refused(1);
    load(0);
    refused(1);

    assertThat(changes)
        .extracting(change -> change.map(why -> why.split(" ")[0]).orElse("open"))
        .containsExactly("global", "load", "global");
  }

  @Test
  void asManyHungStartsAsSlotsShutTheGateUntilOneReturns() {
    assertThat(refused(0)).isEmpty();

    hanging.set(3);
    assertThat(refused(0)).isEmpty();
    assertThat(gate.startTrouble()).as("in health from the first on").isNotNull();
    assertThat(gate.health().status()).isEqualTo(Health.Status.DEGRADED);

    hanging.set(4);
    assertThat(refused(0)).contains(Kind.STARTS);
    assertThat(changes).last().satisfies(reason -> assertThat(reason).isPresent());

    hanging.set(0);
    assertThat(refused(0)).isEmpty();
    assertThat(gate.startTrouble()).isNull();
  }

  /** One that knows of no sweep yet. */
  private GateKeeper gate() {
    var machine = new MachineReadings(proc);
    return new GateKeeper(GateLimits.DEFAULT, 4, machine, hanging::get, () -> now, changes::add);
  }

  /** With a fresh reading. */
  private Optional<Kind> refused(int live) {
    now += Duration.ofSeconds(1).toNanos();
    return gate.refusal(live).map(GateRefusal::kind);
  }

  private void load(double one) throws IOException {
    write("loadavg", one + " 50.00 50.00 1/2 3\n");
  }

  private void memory(int mb) throws IOException {
    write("meminfo", "MemTotal: 99999999 kB\nMemAvailable: " + mb * 1024 + " kB\n");
  }

  private void pressure(int percent) throws IOException {
    write("pressure/memory", "some avg10=" + percent + ".00\nfull avg10=0.00\n");
  }

  private void write(String file, String text) throws IOException {
    Path path = proc.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
