package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaFigures.Reporter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

final class KafkaFiguresTest {
  private static final String GROUP = "consumer-fetch-manager-metrics";
  private static final String LAG = "records-lag-max";
  private static final String SHOWN = "kafka_consumer_fetch_manager_records_lag_max";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final KafkaFigures figures = new KafkaFigures(registry);

  @Test
  void aFigureIsShownByTheNameOfItsClientWithoutAnId() {
    var _ = client("flyball-triage-6a1f0c3e-0000-4000-8000-000000000001-StreamThread-1", 7);

    assertThat(scrape()).contains(SHOWN + "{client=\"flyball-triage-StreamThread-1\"} 7.0");
  }

  @Test
  void whatIsNotInTheCatalogueIsNotShown() {
    var _ =
        client(
            figure(GROUP, "fetch-size-avg", Map.of("client-id", "x"), 7),
            figure("other-metrics", LAG, Map.of("client-id", "x"), 7),
            figure(GROUP, LAG, Map.of("client-id", "x", "topic", "t"), 7));

    assertThat(scrape()).doesNotContain("kafka_");
  }

  @Test
  void clientsOfOneNameAreOneSeriesThatEndsWithTheLast() {
    Reporter one = client("x", 3);
    Reporter other = client("x", 5);
    assertThat(scrape()).contains(SHOWN + "{client=\"x\"} 5.0");

    other.close();
    assertThat(scrape()).contains(SHOWN + "{client=\"x\"} 3.0");

    one.close();
    assertThat(scrape()).doesNotContain(SHOWN);
  }

  @Test
  void nothingMeasuredIsZero() {
    var _ = client("x", Double.NaN);

    assertThat(scrape()).contains(SHOWN + "{client=\"x\"} 0.0");
  }

  private String scrape() {
    figures.measure();
    return registry.scrape();
  }

  private Reporter client(String id, double lag) {
    return client(figure(GROUP, LAG, Map.of("client-id", id), lag));
  }

  private Reporter client(KafkaMetric... metrics) {
    var reporter = new Reporter();
    reporter.configure(Map.of(Reporter.FIGURES, figures));
    reporter.init(List.of(metrics));
    return reporter;
  }

  private static KafkaMetric figure(
      String group, String name, Map<String, String> tags, double value) {
    return new KafkaMetric(
        new Object(),
        new MetricName(name, group, "", tags),
        (Measurable) (_, _) -> value,
        new MetricConfig(),
        Time.SYSTEM);
  }
}
