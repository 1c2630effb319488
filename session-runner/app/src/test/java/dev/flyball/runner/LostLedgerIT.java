package dev.flyball.runner;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A ledger that is created again under a live session")
class LostLedgerIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir private Path folder;

  @Test
  @DisplayName(
      "the session is killed, nothing more is claimed, health says why, and no thread waits for an"
          + " end that no reader will see")
  void everythingEnds() throws Exception {
    KAFKA.provision();
    Path agent = Files.writeString(folder.resolve("agent"), "#!/bin/sh\nsleep 600\n");
    Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
    var app =
        new RunnerApp(
            new RunnerConfig(
                "r1",
                folder.resolve("data"),
                new RunnerConfig.Ledger(
                    3,
                    List.of(),
                    new RunnerConfig.Clocks(
                        Duration.ofMillis(4500), Duration.ofSeconds(1), Duration.ofSeconds(1))),
                RunnerConfig.Agents.of(AgentName.parse("command:" + agent), folder),
                RunnerConfig.Slots.DEFAULT,
                SessionLimits.DEFAULT,
                GateLimits.DEFAULT),
            KAFKA.settings(),
            new Telemetry());
    try {
      app.start();
      // Whatever else this machine does: a loaded one is not healthy.
      await()
          .until(
              () -> app.health().reasons().stream().allMatch(reason -> reason.startsWith("load ")));
      Set<Long> before = sessionThreads();
      request();
      await()
          .until(
              () -> KAFKA.events().stream().anyMatch(e -> e.type() == EventType.SESSION_SPAWNED));
      assertThat(sessionThreads()).hasSizeGreaterThan(before.size());

      try (Admin admin = KAFKA.clients("test").admin("remake")) {
        admin.deleteTopics(List.of(KAFKA.topics().sessionLedger())).all().get();
      }
      await()
          .ignoreExceptions()
          .untilAsserted(() -> {
            KAFKA.provision();
            assertThat(app.health().status()).isEqualTo(Health.Status.UNHEALTHY);
          });

      assertThat(app.health().live()).as("what watches it restarts it").isFalse();
      assertThat(app.health().reasons().getFirst()).contains(KAFKA.topics().sessionLedger());
      await().untilAsserted(() -> assertThat(sessionThreads()).isEqualTo(before));
    } finally {
      app.stop();
    }
  }

  private static Set<Long> sessionThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("session-"))
        .map(Thread::threadId)
        .collect(Collectors.toSet());
  }

  private static void request() {
    var snapshot = Sample.snapshot("Slow", "Slow.");
    KAFKA.produce(
        KAFKA.topics().sessionRequests(),
        "acme/src/1",
        Sample.request(UUID.randomUUID().toString(), Instant.now(), snapshot));
  }
}
