package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("How long ago a source was last polled with success")
class PollReporterTest {
  private static final Instant START = Instant.parse("2026-11-22T10:00:00Z");
  private static final String WEB = "acme/web";

  private Instant now = START;

  @AutoClose
  private final PollReporter reporter =
      new PollReporter(
          new KafkaClients(KafkaSettings.of("localhost:9"), "test"),
          "producer-1",
          () -> now,
          new Telemetry());

  @Test
  void aSuccessBeforeTheStartCounts() {
    assertThat(reporter.sinceSuccess(WEB)).isEqualTo(Duration.ZERO);
    reporter.succeeded(WEB, START.minusSeconds(7200));
    reporter.succeeded(WEB, START.minusSeconds(9000));

    now = START.plusSeconds(60);
    assertThat(reporter.sinceSuccess(WEB)).isEqualTo(Duration.ofMinutes(121));
  }

  @Test
  void withoutAKnownSuccessTheStartCounts() {
    assertThat(reporter.sinceSuccess(WEB)).isEqualTo(Duration.ZERO);

    now = START.plusSeconds(60);
    assertThat(reporter.sinceSuccess(WEB)).isEqualTo(Duration.ofSeconds(60));
  }
}
