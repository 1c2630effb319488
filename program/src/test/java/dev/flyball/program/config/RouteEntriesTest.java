package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.triage.item.Routing;
import dev.flyball.triage.item.Routing.Complexity;
import dev.flyball.triage.item.Routing.Labels;
import dev.flyball.triage.item.Routing.Modules;
import dev.flyball.triage.item.Routing.Priority;
import dev.flyball.triage.item.Routing.Rule;
import dev.flyball.triage.item.Routing.Sources;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RouteEntriesTest {
  private static final String AGENTS = "agents: [{name: deep, agent: codex, provider: own}]\n";

  @TempDir Path folder;

  @Test
  void everyKeyBecomesAConditionAndEachProfileKeepsItsProvider() {
    Routing routing =
        apps("""
        sessions: {agent: claude}
        routes:
          - profile: deep
            complexity: 4-5
            priority: 1
            modules: ["src/**", web]
            sources: [ado]
            labels: [urgent]
          - {profile: default}
        """)
            .triage()
            .machine()
            .routing();

    assertThat(routing.rules())
        .containsExactly(
            new Rule(
                "deep",
                List.of(
                    new Complexity(4, 5),
                    new Priority(1, 1),
                    new Modules(List.of("src/**", "web")),
                    new Sources(List.of("ado")),
                    new Labels(List.of("urgent")))),
            new Rule("default", List.of()));
    assertThat(routing.providers())
        .containsExactlyInAnyOrderEntriesOf(Map.of("default", "anthropic/sonnet", "deep", "own"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{profile: deeper}",
        "{complexity: 4}",
        "{profile: deep, complexity: 6}",
        "{profile: deep, complexity: 5-4}",
        "{profile: deep, priority: high}",
        "{profile: deep, label: [a]}",
      })
  void whatIsNoRouteIsRefusedAtItsLine(String entry) {
    AppConfigurations apps = apps("routes:\n  - " + entry + "\n");

    assertThat(catchThrowableOfType(ConfigurationError.class, apps::check).lines())
        .singleElement()
        .asString()
        .contains(":3: ");
  }

  private AppConfigurations apps(String yaml) {
    return new AppConfigurations(
        ConfigurationLoader.of(AGENTS + yaml, folder.resolve("flyball.yaml")));
  }
}
