package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/**
 * The resources of ops/helm/flyball, rendered by Helm itself inside this JVM, without a cluster.
 */
record HelmChart(List<ObjectNode> resources) {
  static final Path FOLDER = Path.of("../ops/helm/flyball").toAbsolutePath().normalize();

  private static final String KUBERNETES = "1.33.0";
  private static final Map<String, Class<?>> KINDS =
      Map.of(
          "ConfigMap", ConfigMap.class,
          "Deployment", Deployment.class,
          "NetworkPolicy", NetworkPolicy.class,
          "PodDisruptionBudget", PodDisruptionBudget.class,
          "Service", Service.class,
          "StatefulSet", StatefulSet.class);

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Rejects fields that a kind does not have, which the types themselves would keep. */
  private static final ObjectMapper STRICT =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .setAnnotationIntrospector(
              new JacksonAnnotationIntrospector() {
                @Override
                public @Nullable Boolean hasAnySetter(Annotated any) {
                  return Boolean.FALSE;
                }
              });

  /** With these values over the chart's own, each {@code key=value}. */
  static HelmChart with(String... sets) {
    var template = template();
    for (String each : sets) {
      String[] parts = each.split("=", 2);
      template = template.set(parts[0], parts[1]);
    }
    return rendered(template);
  }

  /** With the values that turn everything on. */
  static HelmChart everything() {
    try {
      return rendered(
          template()
              .withValuesFile(
                  Path.of(
                      Objects.requireNonNull(HelmChart.class.getResource("everything-on.yaml"))
                          .toURI())));
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static TemplateCommand template() {
    return new Helm(FOLDER)
        .template()
        .withName("flyball")
        .withNamespace("agents")
        .withKubeVersion(KUBERNETES);
  }

  private static HelmChart rendered(TemplateCommand template) {
    Iterable<Object> documents = new Yaml().loadAll(template.call());
    return new HelmChart(
        StreamSupport.stream(documents.spliterator(), false)
            .filter(Objects::nonNull)
            .map(each -> JSON.<ObjectNode>valueToTree(each))
            .toList());
  }

  /** What {@code helm lint --strict} says of the chart. */
  static List<String> lint() {
    return new Helm(FOLDER).lint().strict().call().getMessages();
  }

  /**
   * Reads a resource as its kind.
   *
   * @return false for kinds of operators, whose types are not here
   * @throws IllegalArgumentException if it has a field that its kind does not have
   */
  static boolean readsAsItsKind(ObjectNode resource) {
    Class<?> kind = KINDS.get(resource.path("kind").asText());
    if (kind != null) {
      STRICT.convertValue(resource, kind);
    }
    return kind != null;
  }

  Stream<ObjectNode> of(String kind) {
    return resources.stream().filter(each -> each.path("kind").asText().equals(kind));
  }

  /** The flyball.yaml that the pods read. */
  String configuration() {
    return of("ConfigMap").findFirst().orElseThrow().at("/data/flyball.yaml").asText();
  }

  Stream<ObjectNode> workloads() {
    return resources.stream().filter(each -> each.at("/spec/template").isObject());
  }

  /** The workload of a role. */
  ObjectNode role(String role) {
    return workloads().filter(each -> role(each).equals(role)).findFirst().orElseThrow();
  }

  static String role(ObjectNode resource) {
    return resource.at("/metadata/labels/app.kubernetes.io~1component").asText();
  }

  static JsonNode pod(ObjectNode workload) {
    return workload.at("/spec/template/spec");
  }

  static JsonNode container(ObjectNode workload) {
    assertThat(pod(workload).path("containers")).hasSize(1);
    return pod(workload).at("/containers/0");
  }

  /** The variables of a container; one whose value is in a Secret has the given value. */
  static Map<String, String> variables(ObjectNode workload, String secret) {
    var all = new TreeMap<String, String>();
    for (JsonNode each : container(workload).path("env")) {
      String name = each.path("name").asText();
      all.put(name, each.path("value").asText(secret + name));
    }
    return all;
  }
}
