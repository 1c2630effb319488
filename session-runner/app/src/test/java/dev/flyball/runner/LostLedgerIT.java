package dev.flyball.runner;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.session.SampleLimits;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("A ledger that is created again under a live session")
class LostLedgerIT {
  private static final String ITEM = "acme/src/1";

  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final RunnerFixture RUNNERS = new RunnerFixture(KAFKA);

  @TempDir private Path folder;

  @Test
  @DisplayName(
      "the session is killed, nothing more is claimed, health says why, and no thread waits for an"
          + " end that no reader will see")
  void everythingEnds() throws Exception {
    var lease =
        new LeaseTimes(
            Duration.ofMillis(4500), Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ZERO);
    RunnerApp app = runner("r1", lease, SessionLimits.DEFAULT);
    try {
      Set<Long> before = started(app);
      assertThat(sessionThreads()).hasSizeGreaterThan(before.size());

      makeAgain(app);

      assertThat(app.health().live()).as("what watches it restarts it").isFalse();
      assertThat(app.health().reasons().getFirst()).contains(KAFKA.topics().sessionLedger());
      await().untilAsserted(() -> assertThat(sessionThreads()).isEqualTo(before));
    } finally {
      app.stop();
    }
  }

  @Test
  @Timeout(120)
  @DisplayName("a stop waits for no end that the lost ledger will never show")
  void aStopDoesNotWaitForTheLedger() throws Exception {
    SessionLimits patient = SampleLimits.with("grace", Duration.ofMinutes(10));
    RunnerApp app = runner("r2", LeaseTimes.DEFAULTS, patient);
    started(app);
    makeAgain(app);

    app.stop();

    await().untilAsserted(() -> assertThat(ProcSampler.running(sleep())).isEmpty());
  }

  private RunnerApp runner(String id, LeaseTimes clocks, SessionLimits limits) throws IOException {
    Path agent = RunnerFixture.agent(folder, Files.copy(Path.of("/bin/sleep"), sleep()) + " 600");
    sleep().toFile().setExecutable(true, false);
    RunnerConfig config =
        RunnerFixture.config(
            id,
            folder.resolve("data"),
            clocks,
            AgentProgram.parse("command:" + agent),
            Repositories.only(folder),
            RunnerConfig.Confinement.DEFAULT,
            limits);
    return new RunnerApp(config, KAFKA.settings(), new Telemetry());
  }

  /** A program that only this test runs. */
  private Path sleep() {
    return folder.resolve("sleep");
  }

  /** Returns the threads that there were before the one session that then runs. */
  private static Set<Long> started(RunnerApp app) {
    app.start();
    // Whatever else this machine does: a loaded one is not healthy.
    await()
        .until(
            () -> app.health().reasons().stream().allMatch(reason -> reason.startsWith("load ")));
    Set<Long> before = sessionThreads();
    var _ = RUNNERS.spawned(RUNNERS.request(ITEM));
    return before;
  }

  /**
   * What one test asked for is no request of the next: its runner would begin with that session,
   * and end it as replaced, with all the patience that it has.
   */
  @AfterEach
  void withdraw() {
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), ITEM, null);
  }

  private static void makeAgain(RunnerApp app) throws Exception {
    try (Admin admin = KAFKA.clients("test").admin("remake")) {
      admin.deleteTopics(List.of(KAFKA.topics().sessionLedger())).all().get();
    }
    await()
        .ignoreExceptions()
        .untilAsserted(() -> {
          KAFKA.provision();
          assertThat(app.health().status()).isEqualTo(Health.Status.UNHEALTHY);
        });
  }

  private static Set<Long> sessionThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("session-"))
        .map(Thread::threadId)
        .collect(Collectors.toSet());
  }
}
