package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.journal.Journal;
import dev.flyball.sqlite.Database;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
final class SweepHealthIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  @TempDir private Path folder;

  @Test
  @DisplayName("health answers while the sweep works, and says so (S0-30)")
  void healthAnswersDuringTheSweep() throws Exception {
    Path data = folder.resolve("data");
    Path repository = Files.createDirectory(folder.resolve("repository"));
    var dead = new Identity(1, 1, "another-boot", "another-namespace");
    try (Journal journal = Journal.open(Files.createDirectory(data))) {
      journal.opened(
          new Journal.Row(
              UUID.randomUUID().toString(), "acme/web/1", "t:1", "A", dead, Optional.empty(), 0));
    }
    var config = RunnerConfig.defaults("sweeper", repository, data);
    RunnerHost host = RunnerHost.open(config, InstantSource.system());
    var runner = new LiveRunner(config, host, KAFKA.clients("runner"), new Telemetry(), Map.of());
    try (var other = Database.open(data.resolve("journal.db"), Journal.class, "end the test")) {
      other.transaction(() -> {
        // Holds the file, so that the sweep cannot close the row.
        other.update("UPDATE session SET item = item");
        runner.start();
        await().during(Duration.ofMillis(300)).untilAsserted(() -> sweeping(runner.health()));
        return true;
      });
      await().atMost(Duration.ofSeconds(30)).until(() -> runner.health().ready());
    } finally {
      runner.stop();
    }
  }

  private static void sweeping(Health health) {
    assertThat(health.live()).isTrue();
    assertThat(health.ready()).isFalse();
    assertThat(health.reasons()).singleElement().asString().startsWith("sweeping ");
  }
}
