package dev.flyball.ops.telemetry;

import java.util.Locale;

/** The page docs/metrics.md, generated from the catalogue so that it always matches it. */
public final class MetricDocs {
  private MetricDocs() {}

  /** The whole page. */
  public static String markdown() {
    var page = new StringBuilder();
    page.append("# Metrics\n\n");
    page.append("Generated from `Metric` in ops/telemetry; a test fails when it is stale. ");
    page.append("Every role answers `/metrics` on its admin\naddress, `up` on the console's. ");
    page.append("The JVM's own metrics (`jvm_*`, `process_*`, `system_*`) come along.\n\n");
    page.append("| metric | kind | unit | tags | meaning |\n|---|---|---|---|---|\n");
    for (Metric metric : Metric.values()) {
      page.append("| `").append(metric.prometheus()).append("` | ");
      page.append(metric.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
      page.append(metric.unit()).append(" | ");
      page.append(String.join(", ", metric.tags())).append(" | ");
      page.append(metric.meaning()).append(" |\n");
    }
    return page.toString();
  }
}
