package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class TelemetryTest {
  private final Telemetry telemetry = new Telemetry();

  // S0-56
  @Test
  void everyMetricIsScrapedUnderItsFixedName() {
    for (Metric metric : Metric.values()) {
      String[] values = metric.tags().stream().map(tag -> "x").toArray(String[]::new);
      switch (metric.kind()) {
        case GAUGE -> telemetry.gauge(metric, () -> 7, values);
        case COUNTER -> telemetry.count(metric, 7, values);
      }
    }

    String scrape = telemetry.scrape();

    for (Metric metric : Metric.values()) {
      String tags =
          metric.tags().isEmpty()
              ? ""
              : metric.tags().stream()
                  .sorted()
                  .map(tag -> tag + "=\"x\"")
                  .collect(Collectors.joining(",", "{", "}"));
      assertThat(scrape.lines()).contains(metric.prometheus() + tags + " 7.0");
    }
  }

  @Test
  void aGaugeOverALocalObjectSurvivesACollection() {
    telemetry.gauge(Metric.SURVIVORS, new java.util.concurrent.atomic.AtomicInteger(3)::get);

    System.gc();

    assertThat(telemetry.scrape()).contains("flyball_survivors 3.0");
  }

  @Test
  void aRestartedServiceReplacesItsGauge() {
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> 1);
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> 2);

    assertThat(telemetry.gauge(Metric.SESSIONS_LIVE)).hasValue(2);
    assertThat(telemetry.scrape()).contains("flyball_sessions_live 2.0");
  }

  @Test
  void aForgottenTagIsRefused() {
    assertThatThrownBy(() -> telemetry.count(Metric.SESSIONS_ENDED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("outcome");
  }
}
