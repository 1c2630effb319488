package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Rewrites the page with {@code -Ddocs=write}. */
final class MetricDocsTest {
  private static final Path PAGE = Path.of("../../docs/metrics.md");

  @Test
  void thePageOfMetricsIsCurrent() throws IOException {
    if ("write".equals(System.getProperty("docs"))) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, MetricDocs.markdown());
    }
    assertThat(Files.readString(PAGE)).isEqualTo(MetricDocs.markdown());
  }
}
