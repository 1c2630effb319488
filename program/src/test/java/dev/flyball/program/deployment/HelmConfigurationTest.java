package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pods of the chart are started with is read by the program itself. */
final class HelmConfigurationTest {
  private static final HelmChart EVERYTHING = HelmChart.everything();
  private static final List<HelmChart> BOTH = List.of(HelmChart.with(), EVERYTHING);
  private static final String SECRET = "a-secret-of-twenty-characters";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"producer", "triage", "runner", "console"})
  void everyRoleAcceptsItsConfiguration(String role) throws IOException {
    for (HelmChart chart : BOTH) {
      Configuration read = read(chart, role);
      new AppConfigurations(read).check();
      assertThat(read.get(Keys.DATA)).isEqualTo(Path.of("/data"));
    }
  }

  @Test
  void whatIsSetReachesTheProgram() throws IOException {
    Configuration runner = read(EVERYTHING, "runner");
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
        ConsoleAddress.of(read(EVERYTHING, "console"), environment(EVERYTHING, "console")).tokens();
    assertThat(tokens).hasSize(3);
  }

  private Configuration read(HelmChart chart, String role) throws IOException {
    Path file = Files.writeString(folder.resolve("flyball.yaml"), chart.configuration());
    Map<String, String> ours = environment(chart, role);
    ours.keySet().removeIf(name -> !name.startsWith("FLYBALL_"));
    return ConfigurationLoader.load(file, ours, List.of());
  }

  private static Map<String, String> environment(HelmChart chart, String role) {
    return HelmChart.variables(chart.role(role), SECRET);
  }
}
