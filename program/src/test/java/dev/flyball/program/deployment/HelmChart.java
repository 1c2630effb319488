package dev.flyball.program.deployment;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
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
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** ops/helm/flyball, rendered by Helm itself inside this JVM, without a cluster. */
final class HelmChart {
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

  private HelmChart() {}

  /** The values that turn everything on. */
  static Path everythingOn() {
    try {
      return Path.of(
          Objects.requireNonNull(HelmChart.class.getResource("everything-on.yaml")).toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** What {@code helm lint --strict} says of the chart. */
  static List<String> lint() {
    return new Helm(FOLDER).lint().strict().call().getMessages();
  }

  /** All resources, with these values over the chart's own. */
  static List<ObjectNode> render(@Nullable Path values, Map<String, Object> sets) {
    var template =
        new Helm(FOLDER)
            .template()
            .withName("flyball")
            .withNamespace("agents")
            .withKubeVersion(KUBERNETES);
    if (values != null) {
      template = template.withValuesFile(values);
    }
    for (Map.Entry<String, Object> each : sets.entrySet()) {
      template = template.set(each.getKey(), each.getValue());
    }
    Iterable<Object> documents = new Yaml().loadAll(template.call());
    return StreamSupport.stream(documents.spliterator(), false)
        .filter(Objects::nonNull)
        .map(each -> JSON.<ObjectNode>valueToTree(each))
        .toList();
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

  /** The flyball.yaml that the pods read. */
  static String configuration(List<ObjectNode> resources) {
    return resources.stream()
        .filter(each -> each.path("kind").asText().equals("ConfigMap"))
        .findFirst()
        .orElseThrow()
        .at("/data/flyball.yaml")
        .asText();
  }
}
