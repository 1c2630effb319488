package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.ConsoleAddress;
import dev.flyball.program.config.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pods of the chart are started with is read by the program itself. */
final class HelmConfigurationTest {
  private static final String SECRET = "a-secret-of-twenty-characters";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"producer", "triage", "runner", "console"})
  void everyRoleAcceptsItsConfiguration(String role) throws IOException {
    for (List<ObjectNode> resources :
        List.of(
            HelmChart.render(null, Map.of()),
            HelmChart.render(HelmChart.everythingOn(), Map.of()))) {
      Configuration read = read(resources, role);
      new AppConfigurations(read).check();
      assertThat(read.get(Keys.DATA)).isEqualTo(Path.of("/data"));
    }
  }

  @Test
  void whatIsSetReachesTheProgram() throws IOException {
    List<ObjectNode> resources = HelmChart.render(HelmChart.everythingOn(), Map.of());
    Configuration runner = read(resources, "runner");
    assertThat(runner.kafka("runner"))
        .containsEntry("bootstrap.servers", "broker-0.kafka:9093,broker-1.kafka:9093")
        .containsEntry("sasl.jaas.config", SECRET + "FLYBALL_KAFKA_SASL_JAAS_CONFIG")
        .containsEntry("fetch.max.bytes", "1048576");
    assertThat(runner.rows())
        .filteredOn(row -> row.key().matches("(sessions|runner)\\..*"))
        .extracting(row -> row.key() + "=" + row.value())
        .contains("sessions.slots=8", "sessions.drain=600s", "sessions.agent=claude");
    assertThat(runner.get(Keys.ADMIN_LISTEN).toString()).isEqualTo("0.0.0.0:8322");
    List<AccessToken> tokens =
        ConsoleAddress.of(read(resources, "console"), environment(resources, "console")).tokens();
    assertThat(tokens).hasSize(3);
  }

  private Configuration read(List<ObjectNode> resources, String role) throws IOException {
    Path file =
        Files.writeString(folder.resolve("flyball.yaml"), HelmChart.configuration(resources));
    Map<String, String> ours = new TreeMap<>(environment(resources, role));
    ours.keySet().removeIf(name -> !name.startsWith("FLYBALL_"));
    return ConfigurationLoader.load(file, ours, List.of());
  }

  private static Map<String, String> environment(List<ObjectNode> resources, String role) {
    ObjectNode workload = HelmChartTest.workload(resources, role);
    Map<String, String> all = new TreeMap<>(HelmChartTest.variables(workload));
    HelmChartTest.container(workload)
        .path("env")
        .findValuesAsText("name")
        .forEach(name -> all.putIfAbsent(name, SECRET + name));
    return all;
  }
}
