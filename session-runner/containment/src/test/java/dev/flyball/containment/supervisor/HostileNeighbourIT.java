package dev.flyball.containment.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.HostileTree;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@DisplayName("Level B: an agent of the same user cannot have its neighbours blamed or held up")
class HostileNeighbourIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final KillLadder NOW = KillLadder.now(Duration.ofSeconds(10));
  private static final KillLadder TERM =
      new KillLadder(Duration.ZERO, Duration.ofSeconds(5), Duration.ofSeconds(10));

  @TempDir Path folder;
  private Containment containment;
  private ContainedProcess neighbour;

  @BeforeEach
  void startTheNeighbour() throws Exception {
    containment =
        ContainmentProbe.strongest(
                ContainmentSettings.in(folder).withTick(Duration.ofMillis(50)), Level.B, Level.B)
            .containment();
    neighbour = containment.start(launch("neighbour", "/bin/sh", "-c", "echo x; sleep 60"), LONG);
    neighbour.out().read();
  }

  @Test
  void processesThatAnotherAgentLeftAreNotCounted() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess agent = leaves(hostile, 300);

      assertThat(neighbour.sample(Duration.ZERO).processes()).isBetween(1, 3);
      var report = neighbour.kill(TERM);
      assertThat(report.survivors()).isZero();
      assertThat(report.steps()).containsExactly("TERM");
      assertThat(report.processesPeak()).isBetween(1, 3);
      assertThat(hostile.alive()).as("not the neighbour's to end").hasSizeGreaterThan(299);

      assertThat(agent.kill(NOW).survivors()).isZero();
      assertThat(hostile.left()).isEmpty();
    }
  }

  @Test
  void theyDoNotBlockTheVerificationOfANeighbourWithoutASupervisor() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      ContainedProcess agent = leaves(hostile, 5);
      neighbour.sample(Duration.ZERO);

      Kernel.signal((int) neighbour.identity().pid(), Kernel.KILL);
      neighbour.onExit().get(10, TimeUnit.SECONDS);

      assertThat(neighbour.kill(NOW).survivors()).isZero();
      assertThat(hostile.alive()).as("not the neighbour's to end").hasSizeGreaterThan(4);
      assertThat(agent.kill(NOW).survivors()).isZero();
      assertThat(hostile.left()).isEmpty();
    }
  }

  @Test
  void aForgedCookieChargesNoNeighbour() throws Exception {
    try (var hostile = new HostileTree(folder)) {
      String forge =
          "$ENV{FLYBALL_SESSION} = 'neighbour'; exec {$^X} 'perl', '-e',"
              + " '$| = 1; print \"x\\n\"; sleep 60'";
      ContainedProcess agent =
          containment.start(launch("agent", hostile.perl.toString(), "-e", forge), LONG);
      agent.out().read();

      assertThat(neighbour.kill(TERM).survivors()).isZero();

      assertThat(hostile.alive()).as("not the neighbour's to end").hasSize(1);
      assertThat(agent.kill(NOW).survivors()).isZero();
    }
  }

  /**
   * Stops both of its supervisors, starts so many processes, each without an environment and in its
   * own session, and then kills the two.
   */
  private ContainedProcess leaves(HostileTree hostile, int processes) throws Exception {
    String forks =
        "use POSIX; my $inner = getppid; open my $stat, '<', \"/proc/$inner/stat\";"
            + " my ($outer) = <$stat> =~ /\\) \\S (\\d+)/; close $stat;"
            + " kill STOP => $outer, $inner; %ENV = (); for (1 .. "
            + processes
            + ") { fork or do { POSIX::setsid(); alarm 60; sleep 1 while 1 } }"
            + " kill KILL => $outer, $inner; sleep 60";
    ContainedProcess agent =
        containment.start(
            launch(UUID.randomUUID().toString(), hostile.perl.toString(), "-e", forks), LONG);
    agent.onExit().get(20, TimeUnit.SECONDS);
    await().until(() -> hostile.alive().size() > processes);
    return agent;
  }

  private Launch launch(String session, String... command) {
    return new Launch(session, List.of(command), Map.of("PATH", "/usr/bin:/bin"), folder, "");
  }
}
