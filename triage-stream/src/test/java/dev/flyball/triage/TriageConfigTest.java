package dev.flyball.triage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.triage.item.MachineSettings.RetryLimits;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TriageConfigTest {
  private static final TriageConfig DEFAULTS = TriageConfig.defaults(Path.of("data"));

  @Test
  void aWaitAboveItsLimitIsRefusedByName() {
    assertThatThrownBy(
            () -> new TriageConfig(DEFAULTS.data(), 50, Duration.ofHours(1), DEFAULTS.machine()))
        .hasMessageContaining("triage.batch.linger");
    assertThatThrownBy(() -> new RetryLimits(3, 5, Duration.ofHours(1)))
        .hasMessageContaining("sessions.back-off");
  }

  @Test
  void stopBeforeStartIsLegalAndFinal() {
    var app = new TriageApp(DEFAULTS, KafkaSettings.of("127.0.0.1:1"), new Telemetry());
    app.stop();
    app.stop();
    app.start();
    assertThat(app.health().ready()).isFalse();
  }
}
