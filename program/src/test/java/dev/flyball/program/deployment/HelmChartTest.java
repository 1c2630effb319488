package dev.flyball.program.deployment;

import static dev.flyball.program.deployment.HelmChart.container;
import static dev.flyball.program.deployment.HelmChart.pod;
import static dev.flyball.program.deployment.HelmChart.variables;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.ConsoleAddress;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.ServiceRun.StopLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The chart with its own values, with everything on, and with values that it must reject; what its
 * pods are started with is read by the program itself.
 */
@DisplayName("The Helm chart: what a cluster gets")
final class HelmChartTest {
  private static final HelmChart DEFAULT = HelmChart.with();
  private static final HelmChart EVERYTHING = HelmChart.everything();
  private static final String STRICT = "runner.containment=A";

  /** What every pod has, by pointer. */
  private static final Map<String, String> CONFINED =
      Map.ofEntries(
          entry("/enableServiceLinks", "false"),
          entry("/automountServiceAccountToken", "false"),
          entry("/securityContext/runAsNonRoot", "true"),
          entry("/securityContext/seccompProfile/type", "RuntimeDefault"),
          entry("/containers/0/securityContext/allowPrivilegeEscalation", "false"),
          entry("/containers/0/securityContext/readOnlyRootFilesystem", "true"),
          entry("/containers/0/securityContext/capabilities/drop/0", "ALL"),
          entry("/containers/0/startupProbe/httpGet/path", "/livez"),
          entry("/containers/0/livenessProbe/httpGet/path", "/livez"),
          entry("/containers/0/readinessProbe/httpGet/path", "/readyz"));

  static Stream<HelmChart> both() {
    return Stream.of(DEFAULT, EVERYTHING);
  }

  @Test
  void lintHasNoWarnings() {
    assertThat(HelmChart.lint()).containsExactly("[INFO] Chart.yaml: icon is recommended");
  }

  @Test
  void theChartIsOfTheProgramsVersion() throws IOException {
    String version =
        Files.readString(Path.of("../pom.xml")).replaceFirst("(?s).*?<version>([0-9.]+).*", "$1");
    assertThat(Files.readAllLines(HelmChart.FOLDER.resolve("Chart.yaml")))
        .contains("version: " + version, "appVersion: \"" + version + "\"");
  }

  @ParameterizedTest
  @MethodSource("both")
  void everyResourceHasOnlyFieldsOfItsKind(HelmChart chart) {
    Stream<String> others =
        chart.resources().stream()
            .filter(each -> !HelmChart.readsAsItsKind(each))
            .map(each -> each.path("kind").asText());
    assertThat(others).isSubsetOf("ServiceMonitor", "ScaledObject");
  }

  @Test
  void aFieldThatAKindDoesNotHaveWouldBeSeen() {
    ObjectNode deployment = DEFAULT.of("Deployment").findFirst().orElseThrow().deepCopy();
    ((ObjectNode) pod(deployment)).put("serviceLinks", false);
    assertThatThrownBy(() -> HelmChart.readsAsItsKind(deployment))
        .hasMessageContaining("serviceLinks");
  }

  @Test
  void rolesWhoseFolderMattersAreStatefulSets() {
    assertThat(DEFAULT.of("Deployment").map(HelmChart::role))
        .containsExactlyInAnyOrder("producer", "triage");
    assertThat(DEFAULT.of("StatefulSet"))
        .allMatch(each -> each.at("/spec/volumeClaimTemplates").size() == 1)
        .map(HelmChart::role)
        .containsExactlyInAnyOrder("runner", "console");
    assertThat(DEFAULT.of("PodDisruptionBudget")).hasSize(4);
  }

  @ParameterizedTest
  @MethodSource("both")
  void everyPodIsConfined(HelmChart chart) {
    assertThat(chart.workloads())
        .hasSize(4)
        .allSatisfy(each -> {
          CONFINED.forEach((pointer, value) ->
              assertThat(pod(each).at(pointer).asText()).as(pointer).isEqualTo(value));
          assertThat(pod(each).at("/securityContext/runAsUser").asInt()).isPositive();
          assertThat(container(each).at("/resources/limits").size()).isEqualTo(2);
        });
  }

  @ParameterizedTest
  @MethodSource("both")
  void aPodMayTakeLongerToStopThanItsDrain(HelmChart chart) {
    assertThat(chart.workloads())
        .allSatisfy(each -> {
          Map<String, String> variables = variables(each, "");
          Duration drain = seconds(variables.getOrDefault("FLYBALL_SESSIONS_DRAIN", "0s"));
          Duration ladder =
              StopLimit.forLadder(
                  seconds(variables.getOrDefault("FLYBALL_SESSIONS_GRACE", "none")));
          assertThat(pod(each).path("terminationGracePeriodSeconds").asLong())
              .isEqualTo(drain.plus(ladder).plusSeconds(2).toSeconds());
        });
    assertThat(variables(chart.role("runner"), "")).containsKey("FLYBALL_SESSIONS_DRAIN");
  }

  @Test
  void theNumberOfRunnersIsNotTheCap() {
    HelmChart wider = HelmChart.with("config.cap=40");
    assertThat(wider.role("runner").at("/spec/replicas").asInt()).isEqualTo(2);
    HelmChart more = HelmChart.with("runner.replicas=9");
    assertThat(more.configuration()).isEqualTo(DEFAULT.configuration());
  }

  @Test
  void onlyTheRunnerOfLevelALosesTheDefaultProfile() {
    HelmChart strict = HelmChart.with(STRICT);
    assertThat(variables(DEFAULT.role("runner"), ""))
        .containsEntry("FLYBALL_CONTAINMENT_MINIMUM", "B");
    assertThat(variables(strict.role("runner"), ""))
        .containsEntry("FLYBALL_CONTAINMENT_MINIMUM", "A");
    assertThat(
            strict
                .workloads()
                .filter(each ->
                    container(each)
                        .at("/securityContext/seccompProfile/type")
                        .asText()
                        .equals("Unconfined"))
                .map(HelmChart::role))
        .containsExactly("runner");
    assertThat(container(strict.role("runner")).path("securityContext").has("procMount")).isFalse();
    assertThat(container(EVERYTHING.role("runner")).at("/securityContext/procMount").asText())
        .isEqualTo("Unmasked");
    assertThat(pod(EVERYTHING.role("runner")).path("hostUsers").asBoolean(true)).isFalse();
  }

  @Test
  void secretsReachOnlyTheRoleThatNeedsThem() {
    Map<String, List<String>> secrets = new TreeMap<>();
    EVERYTHING
        .workloads()
        .forEach(each ->
            secrets.put(
                HelmChart.role(each), container(each).path("envFrom").findValuesAsText("name")));
    assertThat(secrets)
        .isEqualTo(
            Map.of(
                "producer", List.of("trackers"),
                "triage", List.of("models"),
                "runner", List.of("models", "repositories"),
                "console", List.of("hooks")));
  }

  @ParameterizedTest
  @MethodSource("both")
  void noPolicyAllowsEverySource(HelmChart chart) {
    assertThat(chart.of("NetworkPolicy").flatMap(each -> each.at("/spec/ingress").valueStream()))
        .allMatch(rule -> !rule.path("from").isEmpty() && !rule.path("ports").isEmpty());
  }

  @Test
  void theAutoscalerOwnsTheNumberOfRunners() {
    assertThat(EVERYTHING.role("runner").path("spec").has("replicas")).isFalse();
    String query =
        EVERYTHING
            .of("ScaledObject")
            .findFirst()
            .orElseThrow()
            .at("/spec/triggers/0/metadata/query")
            .asText();
    assertThat(query).contains(Metric.BACKLOG_ITEMS.prometheus(), "namespace=\"agents\"");
  }

  @Test
  void theAlertRulesFindWhatTheOperatorOfPrometheusReads() throws IOException {
    assertThat(Files.readString(Path.of("../ops/prometheus/flyball-alerts.yml")))
        .contains("job=~\"flyball.*\"");
    var jobs = new TreeSet<String>();
    EVERYTHING
        .of("ServiceMonitor")
        .forEach(each -> {
          assertThat(each.at("/spec/endpoints/0/path").asText()).isEqualTo("/metrics");
          jobs.add(each.at("/spec/endpoints/0/relabelings/0/replacement").asText());
        });
    assertThat(jobs)
        .containsExactly("flyball-console", "flyball-producer", "flyball-runner", "flyball-triage");
    assertThat(DEFAULT.of("ServiceMonitor")).isEmpty();
    assertThat(DEFAULT.of("ScaledObject")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "runner.containment=C",
        "runner.drainSeconds=1m",
        "runner.slots=0",
        "runner.resources.limits=null",
        "runner.resources.limits.memory=lots",
        "runner.secrets[0]=Not_A_Name",
        "pod.uid=0",
        "console.replicas=2",
        "console.token.secret=",
        "image.pullPolicy=Sometimes",
        "kafka.bootstrapServers=broker",
        "kafka.properties.ssl\\.keystore\\.password=x",
        "kafka.secretProperties[0].property=sasl.jaas.config",
        "config.kafka.security\\.protocol=SSL",
        "config.sessions.drain=5m",
        "config.admin.listen=127.0.0.1:1",
        "keda.enabled=true",
        "networkPolicy.kafkaPorts[0]=0",
        "runners.replicas=3",
      })
  void badValuesAreRejected(String value) {
    String name = Arrays.asList(value.split("[.\\[]")).getFirst();
    assertThatThrownBy(() -> HelmChart.with(value))
        .hasMessageContaining("schema")
        .message()
        .containsAnyOf(name, "propertyName");
  }

  @Test
  void anAddressOfPrometheusIsEnoughForTheAutoscaler() {
    var chart = HelmChart.with("keda.enabled=true", "keda.prometheus=http://prometheus:9090");
    assertThat(chart.of("ScaledObject")).hasSize(1);
  }

  private static Duration seconds(String text) {
    return Duration.ofSeconds(Long.parseLong(text.replace("s", "")));
  }

  private static final String SECRET = "a-secret-of-twenty-characters";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"producer", "triage", "runner", "console"})
  void everyRoleAcceptsItsConfiguration(String role) throws IOException {
    for (HelmChart chart : List.of(DEFAULT, EVERYTHING)) {
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
