package dev.flyball.ops.telemetry;

import dev.flyball.ops.telemetry.KafkaFigures.KafkaFigure;
import java.util.Locale;

/** The page docs/metrics.md, generated from the catalogue so that it always matches it. */
final class MetricDocs {
  private MetricDocs() {}

  /** The whole page. */
  static String markdown() {
    var page = new StringBuilder();
    page.append("# Metrics\n\n");
    page.append("Generated from `Metric` in ops/telemetry; a test fails when it is stale. ");
    page.append("Every role answers `/metrics` on its admin\naddress, `up` on the console's. ");
    page.append("The JVM's own metrics (`jvm_*`, `process_*`, `system_*`) come along. ");
    page.append("[Monitoring](monitoring.md) says how to scrape them,\n");
    page.append("[Alerts](alerts.md) what to do when one is out of bounds.\n\n");
    page.append("| metric | kind | unit | tags | meaning |\n|---|---|---|---|---|\n");
    for (Metric metric : Metric.values()) {
      page.append("| `").append(metric.prometheus()).append("` | ");
      page.append(metric.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
      page.append(metric.unit()).append(" | ");
      page.append(String.join(", ", metric.tags())).append(" | ");
      page.append(metric.meaning()).append(" |\n");
    }
    page.append("\n## Kafka's clients and Kafka Streams\n");
    page.append("Of some 1,000 figures these are shown, for each client by its name ");
    page.append("(tag `client`); clients of one name are merged.\nIds in the names of Streams' ");
    page.append("clients are left out. 0 is shown where Kafka has measured nothing lately.\n\n");
    page.append("| metric | meaning |\n|---|---|\n");
    for (KafkaFigure figure : KafkaFigure.values()) {
      page.append("| `").append(figure.prometheus()).append("` | ");
      page.append(figure.meaning()).append(" |\n");
    }
    return page.toString();
  }
}
