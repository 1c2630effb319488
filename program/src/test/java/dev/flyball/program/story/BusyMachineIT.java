package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gate reads the real machine, which threads of this test keep busy. */
@Tag("long")
@DisplayName("On a busy machine, a run with a cap of 3")
final class BusyMachineIT {
  private static final int CPUS = Runtime.getRuntime().availableProcessors();

  /** Per CPU: less than one busy thread for four CPUs adds to the load in its first 5 s. */
  private static final double LIMIT = 0.01;

  private static final Duration SOON = Duration.ofMinutes(1);

  private static final String AGENT =
      """
      cat > /dev/null
      until [ -e "$HOME/go" ]; do sleep 0.1; done
      echo "Main.java line 1 is the cause"
      """;

  private final AtomicBoolean busy = new AtomicBoolean(true);

  @TempDir Path folder;

  @BeforeEach
  void makeBusy() {
    for (int i = 0; i < (CPUS + 3) / 4; i++) {
      Thread.ofPlatform()
          .daemon()
          .name("busy-" + i)
          .start(() -> {
            while (busy.get()) {
              Thread.onSpinWait();
            }
          });
    }
    await("a load above the limit")
        .atMost(SOON)
        .until(() ->
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage() > 2 * LIMIT * CPUS);
  }

  @AfterEach
  void calmDown() {
    busy.set(false);
  }

  @Test
  @DisplayName("runs one session at a time while the load is above gate.load, and says why")
  void oneAtATime() {
    var place = Workplace.in(folder, AGENT);
    IntStream.range(0, 3).forEach(id -> place.add(id, 1));
    // Only the load may hold sessions back: not the memory of a machine that builds.
    var gate =
        Map.of(
            "FLYBALL_GATE_LOAD", Double.toString(LIMIT),
            "FLYBALL_GATE_PRESSURE", "100",
            "FLYBALL_GATE_MEMORY", "16MB");
    String agent = "sessions.agent=command:" + folder.resolve("agent.sh");
    try (Program run = place.run(gate, agent, "cap=3")) {
      String kafka = run.awaitEmbeddedKafka();
      await("the runner's entry names the load")
          .atMost(SOON)
          .until(() -> refusal(kafka).equals(Optional.of("load")));
      assertThat(place.live()).hasSize(1);
      String running =
          LedgerAudit.of(kafka).state.leases().stream()
              .map(Lease::item)
              .findFirst()
              .orElseThrow()
              .id();
      String waiting = running.equals("0") ? "1" : "0";
      Program why = Program.run(place.home, "why", waiting, "--json", "--data", "data");
      assertThat(why.json().path("reasons"))
          .as(why.out())
          .anySatisfy(reason -> {
            assertThat(reason.path("reason").asText()).isEqualTo("runnersRefuse");
            assertThat(reason.path("detail").asText()).endsWith(": load");
          });

      place.write("go", "");
      assertThat(run.awaitEnd()).as(run::err).isZero();
      assertThat(run.json().path("sessions").path("completed").asInt()).as(run.out()).isEqualTo(3);
      assertThat(run.json().path("maxConcurrent").asInt()).isEqualTo(1);
    }
  }

  /** In a word; empty while the runner takes sessions. */
  private static Optional<String> refusal(String kafka) {
    return LedgerAudit.of(kafka).state.runners().stream()
        .map(LedgerEntry.Runner::refusing)
        .flatMap(refusing -> Optional.ofNullable(refusing).stream())
        .findFirst();
  }
}
