package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.program.roles.StopLimit;
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
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The chart with its own values, with everything on, and with values that it must reject. */
@DisplayName("The Helm chart: what a cluster gets")
final class HelmChartTest {
  private static final List<ObjectNode> DEFAULT = HelmChart.render(null, Map.of());
  private static final List<ObjectNode> EVERYTHING =
      HelmChart.render(HelmChart.everythingOn(), Map.of());
  private static final String KEDA = "http://prometheus:9090";

  static Stream<List<ObjectNode>> both() {
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
  void everyResourceHasOnlyFieldsOfItsKind(List<ObjectNode> resources) {
    List<String> others =
        resources.stream()
            .filter(each -> !HelmChart.readsAsItsKind(each))
            .map(each -> each.path("kind").asText())
            .distinct()
            .toList();
    assertThat(others).isSubsetOf("ServiceMonitor", "ScaledObject");
  }

  @Test
  void aFieldThatAKindDoesNotHaveWouldBeSeen() {
    ObjectNode deployment = of(DEFAULT, "Deployment").findFirst().orElseThrow().deepCopy();
    ((ObjectNode) pod(deployment)).put("serviceLinks", false);
    assertThatThrownBy(() -> HelmChart.readsAsItsKind(deployment))
        .hasMessageContaining("serviceLinks");
  }

  @Test
  void rolesWhoseFolderMattersAreStatefulSets() {
    assertThat(of(DEFAULT, "Deployment").map(HelmChartTest::role))
        .containsExactlyInAnyOrder("producer", "triage");
    assertThat(of(DEFAULT, "StatefulSet"))
        .allMatch(each -> each.at("/spec/volumeClaimTemplates").size() == 1)
        .map(HelmChartTest::role)
        .containsExactlyInAnyOrder("runner", "console");
    assertThat(of(DEFAULT, "PodDisruptionBudget")).hasSize(4);
  }

  @ParameterizedTest
  @MethodSource("both")
  void everyPodIsConfined(List<ObjectNode> resources) {
    assertThat(workloads(resources))
        .hasSize(4)
        .allSatisfy(each -> {
          JsonNode pod = pod(each);
          assertThat(pod.path("enableServiceLinks").asBoolean(true)).isFalse();
          assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
          assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
          assertThat(pod.at("/securityContext/runAsUser").asInt()).isPositive();
          assertThat(pod.at("/securityContext/seccompProfile/type").asText())
              .isEqualTo("RuntimeDefault");
          JsonNode container = container(each);
          JsonNode security = container.path("securityContext");
          assertThat(security.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
          assertThat(security.path("readOnlyRootFilesystem").asBoolean()).isTrue();
          assertThat(security.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
          assertThat(container.at("/resources/limits").size()).isEqualTo(2);
          for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            String path = probe.startsWith("readiness") ? "/readyz" : "/livez";
            assertThat(container.path(probe).at("/httpGet/path").asText())
                .as(probe)
                .isEqualTo(path);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("both")
  void aPodMayTakeLongerToStopThanItsDrain(List<ObjectNode> resources) {
    assertThat(workloads(resources))
        .allSatisfy(each -> {
          Map<String, String> variables = variables(each);
          Duration drain = seconds(variables.getOrDefault("FLYBALL_SESSIONS_DRAIN", "0s"));
          Duration ladder =
              StopLimit.forLadder(
                  seconds(variables.getOrDefault("FLYBALL_SESSIONS_GRACE", "none")));
          assertThat(pod(each).path("terminationGracePeriodSeconds").asLong())
              .isEqualTo(drain.plus(ladder).plusSeconds(2).toSeconds());
        });
    assertThat(variables(workload(resources, "runner"))).containsKey("FLYBALL_SESSIONS_DRAIN");
  }

  @Test
  void theNumberOfRunnersIsNotTheCap() {
    List<ObjectNode> wider = HelmChart.render(null, Map.of("config.cap", "40"));
    assertThat(workload(wider, "runner").at("/spec/replicas").asInt()).isEqualTo(2);
    List<ObjectNode> more = HelmChart.render(null, Map.of("runner.replicas", "9"));
    assertThat(HelmChart.configuration(more)).isEqualTo(HelmChart.configuration(DEFAULT));
  }

  @Test
  void onlyTheRunnerOfLevelALosesTheDefaultProfile() {
    List<ObjectNode> strict = HelmChart.render(null, Map.of("runner.containment", "A"));
    assertThat(variables(workload(DEFAULT, "runner")))
        .containsEntry("FLYBALL_CONTAINMENT_MINIMUM", "B");
    assertThat(variables(workload(strict, "runner")))
        .containsEntry("FLYBALL_CONTAINMENT_MINIMUM", "A");
    assertThat(
            workloads(strict)
                .filter(each ->
                    container(each)
                        .at("/securityContext/seccompProfile/type")
                        .asText()
                        .equals("Unconfined"))
                .map(HelmChartTest::role))
        .containsExactly("runner");
    assertThat(container(workload(strict, "runner")).path("securityContext").has("procMount"))
        .isFalse();
    assertThat(container(workload(EVERYTHING, "runner")).at("/securityContext/procMount").asText())
        .isEqualTo("Unmasked");
    assertThat(pod(workload(EVERYTHING, "runner")).path("hostUsers").asBoolean(true)).isFalse();
  }

  @Test
  void secretsReachOnlyTheRoleThatNeedsThem() {
    Map<String, List<String>> secrets = new TreeMap<>();
    workloads(EVERYTHING)
        .forEach(each ->
            secrets.put(role(each), container(each).path("envFrom").findValuesAsText("name")));
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
  void noPolicyAllowsEverySource(List<ObjectNode> resources) {
    assertThat(of(resources, "NetworkPolicy").flatMap(each -> elements(each.at("/spec/ingress"))))
        .allMatch(rule -> !rule.path("from").isEmpty() && !rule.path("ports").isEmpty());
  }

  @Test
  void theAutoscalerOwnsTheNumberOfRunners() {
    assertThat(workload(EVERYTHING, "runner").path("spec").has("replicas")).isFalse();
    String query =
        of(EVERYTHING, "ScaledObject")
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
    of(EVERYTHING, "ServiceMonitor")
        .forEach(each -> {
          assertThat(each.at("/spec/endpoints/0/path").asText()).isEqualTo("/metrics");
          jobs.add(each.at("/spec/endpoints/0/relabelings/0/replacement").asText());
        });
    assertThat(jobs)
        .containsExactly("flyball-console", "flyball-producer", "flyball-runner", "flyball-triage");
    assertThat(of(DEFAULT, "ServiceMonitor")).isEmpty();
    assertThat(of(DEFAULT, "ScaledObject")).isEmpty();
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
    String[] parts = value.split("=", 2);
    Map<String, Object> bad = Map.of(parts[0], parts[1]);
    String name = Arrays.asList(parts[0].split("[.\\[]")).getFirst();
    assertThatThrownBy(() -> HelmChart.render(null, bad))
        .hasMessageContaining("schema")
        .message()
        .containsAnyOf(name, "propertyName");
  }

  @Test
  void anAddressOfPrometheusIsEnoughForTheAutoscaler() {
    assertThat(
            of(
                HelmChart.render(null, Map.of("keda.enabled", "true", "keda.prometheus", KEDA)),
                "ScaledObject"))
        .hasSize(1);
  }

  static Stream<ObjectNode> of(List<ObjectNode> resources, String kind) {
    return resources.stream().filter(each -> each.path("kind").asText().equals(kind));
  }

  static Stream<ObjectNode> workloads(List<ObjectNode> resources) {
    return resources.stream().filter(each -> each.at("/spec/template").isObject());
  }

  static ObjectNode workload(List<ObjectNode> resources, String role) {
    return workloads(resources).filter(each -> role(each).equals(role)).findFirst().orElseThrow();
  }

  static JsonNode container(ObjectNode workload) {
    assertThat(pod(workload).path("containers")).hasSize(1);
    return pod(workload).at("/containers/0");
  }

  /** The variables of a container whose values are not in a Secret. */
  static Map<String, String> variables(ObjectNode workload) {
    var all = new TreeMap<String, String>();
    container(workload)
        .path("env")
        .forEach(each -> {
          if (each.has("value")) {
            all.put(each.path("name").asText(), each.path("value").asText());
          }
        });
    return all;
  }

  private static JsonNode pod(ObjectNode workload) {
    return workload.at("/spec/template/spec");
  }

  private static String role(ObjectNode resource) {
    return resource.at("/metadata/labels/app.kubernetes.io~1component").asText();
  }

  private static Stream<JsonNode> elements(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  private static Duration seconds(String text) {
    return Duration.ofSeconds(Long.parseLong(text.replace("s", "")));
  }
}
