package dev.flyball.program.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The files of ops/prometheus, judged by Debian's promtool. */
@Tag("long")
final class AlertRulesIT {
  private static final Path FOLDER = Path.of("../ops/prometheus").toAbsolutePath().normalize();

  @Test
  @DisplayName(
      "each alert is silent just below its limit and fires at it, with its text (S0-3, S0-56, S2-1,"
          + " S2-9, S4-7, S4-20)")
  void theRulesPassTheirTests() throws IOException, InterruptedException {
    assertThat(promtool("test", "rules", "flyball-alerts.test.yml")).isEmpty();
  }

  @Test
  void theExampleOfAConfigurationIsValid() throws IOException, InterruptedException {
    assertThat(promtool("check", "config", "prometheus.yml")).isEmpty();
  }

  private static String promtool(String... arguments) throws IOException, InterruptedException {
    return PrometheusStack.promtool(FOLDER, "", arguments);
  }
}
