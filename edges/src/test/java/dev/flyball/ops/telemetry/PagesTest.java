package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaFigures.KafkaFigure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class PagesTest {
  private static final Path RULES = Path.of("../ops/prometheus/flyball-alerts.yml");
  private static final Path TESTS = Path.of("../ops/prometheus/flyball-alerts.test.yml");
  private static final Path ALERTS = Path.of("../docs/troubleshooting.md");
  private static final Path METRICS = Path.of("../docs/topics.md");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(Flyball\\w+)` \\| [^|]+ \\| [^|]+ \\|$");
  private static final Pattern METRIC = Pattern.compile("`((?:flyball|kafka)_[a-z_]+)`");

  @Test
  @DisplayName("each alert has a row that says what to do, a link to it, and a test")
  void eachAlertIsExplainedAndTested() throws IOException {
    String rules = Files.readString(RULES);
    String tests = Files.readString(TESTS);
    List<String> alerts = values(rules, "- alert: ");

    assertThat(alerts).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    assertThat(values(rules, "runbook: "))
        .hasSameSizeAs(alerts)
        .containsOnly("docs/troubleshooting.md#alerts");
    assertThat(values(rules, "summary: ")).hasSameSizeAs(alerts);
    assertThat(values(rules, "action: ")).hasSameSizeAs(alerts);
    assertThat(alerts)
        .allMatch(it -> tests.contains("name: " + it + "\n"))
        .allMatch(it -> tests.contains("alertname: " + it + "\n"));
    assertThat(found(ROW, ALERTS)).containsExactlyInAnyOrderElementsOf(alerts);
  }

  @Test
  void thePageHasEveryMetricAndNoOther() throws IOException {
    assertThat(found(METRIC, METRICS))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Arrays.stream(Metric.values()).map(Metric::prometheus),
                    Arrays.stream(KafkaFigure.values()).map(KafkaFigure::prometheus))
                .collect(Collectors.toSet()));
  }

  private static Set<String> found(Pattern pattern, Path page) throws IOException {
    return pattern
        .matcher(Files.readString(page))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }

  private static List<String> values(String rules, String key) {
    return rules
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()))
        .toList();
  }
}
