package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class AlertPageTest {
  private static final Path RULES = Path.of("../prometheus/flyball-alerts.yml");
  private static final Path TESTS = Path.of("../prometheus/flyball-alerts.test.yml");
  private static final Path PAGE = Path.of("../../docs/alerts.md");

  @Test
  @DisplayName("each alert has a section that says what to do, a link to it, and a test")
  void eachAlertIsExplainedAndTested() throws IOException {
    String rules = Files.readString(RULES);
    String tests = Files.readString(TESTS);
    List<String> sections = List.of(Files.readString(PAGE).split("\n## "));
    List<String> alerts = values(rules, "- alert: ");

    assertThat(alerts).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    assertThat(values(rules, "runbook: "))
        .isEqualTo(
            alerts.stream().map(it -> "docs/alerts.md#" + it.toLowerCase(Locale.ROOT)).toList());
    assertThat(values(rules, "summary: ")).hasSameSizeAs(alerts);
    assertThat(values(rules, "action: ")).hasSameSizeAs(alerts);
    for (String alert : alerts) {
      assertThat(sections)
          .as(alert)
          .anyMatch(it -> it.startsWith(alert + "\n") && it.contains("What to do: "));
      assertThat(tests).contains("name: " + alert + "\n", "alertname: " + alert + "\n");
    }
    assertThat(sections).as("no section without an alert").hasSize(alerts.size() + 1);
  }

  @Test
  @DisplayName("the page shows the expressions of the alerts as they are")
  void thePageShowsTheExpressions() throws IOException {
    String alerts = Files.readString(RULES).split("- name: flyball-week")[0];
    assertThat(Files.readString(PAGE)).contains(values(alerts, "expr: "));
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
