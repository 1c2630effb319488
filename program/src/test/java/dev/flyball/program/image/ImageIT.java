package dev.flyball.program.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The image runs as any user, without a capability, and writes to its data folder and /tmp only.
 * `.ci/run` builds it; by hand: docs/deploy.md.
 */
@Tag("container")
class ImageIT {
  private static final Path CLONE = Path.of("..").toAbsolutePath().normalize();

  private final Shell shell = new Shell(CLONE);

  @BeforeAll
  static void image() {
    assumeThat(new Shell(CLONE).outcome("docker", "image", "inspect", "flyball:latest").code())
        .as("no image flyball:latest: build it as docs/deploy.md says")
        .isZero();
  }

  @Test
  void theExampleRunsAsAnyUserWithoutCapabilitiesAndWithAReadOnlyRoot() {
    String report =
        shell.run(
            restricted(
                List.of("--volume", CLONE + ":/work:ro", "--workdir", "/work"),
                "sh",
                "-c",
                "flyball run examples/work-items.jsonl --repo . --json 2>/dev/null"));

    var json = RecordJson.parse(report.strip());
    assertThat(json.path("items").asInt()).isEqualTo(40);
    assertThat(json.path("sessions").path("completed").asInt()).isPositive();
    assertThat(json.path("sessions").path("failed").asInt()).isZero();
    assertThat(json.path("maxConcurrent").asInt()).isBetween(1, 3);
  }

  @Test
  void containmentIsLevelBInTheDefaultProfile() {
    String found =
        shell.run(restricted(List.of(), "sh", "-c", "flyball doctor | grep ^containment"));

    assertThat(found).startsWith("containment\tok\tlevel B");
  }

  @Test
  void aServiceStopsInOrderAndIsHealthyMeanwhile() {
    String container =
        shell.run("docker", "run", "--detach", "flyball:latest", "up", "--data", "/data").strip();
    try {
      await().atMost(Duration.ofMinutes(2)).until(() -> health(container).equals("healthy"));
      // It is healthy while it starts, too.
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> shell.run("docker", "logs", container).contains("ready "));
      shell.run("docker", "stop", "--time", "60", container);

      assertThat(
              shell.run("docker", "inspect", "--format", "{{.State.ExitCode}}", container).strip())
          .isEqualTo("0");
    } finally {
      shell.outcome("docker", "rm", "--force", "--volumes", container);
    }
  }

  @Test
  void itsLibrariesAreListed() {
    String bom = shell.run(restricted(List.of(), "cat", "/opt/flyball/sbom.cdx.json"));

    var json = RecordJson.parse(bom);
    assertThat(json.path("bomFormat").asText()).isEqualTo("CycloneDX");
    var purls = new ArrayList<String>();
    json.path("components").forEach(each -> purls.add(each.path("purl").asText()));
    assertThat(purls)
        .anyMatch(purl -> purl.startsWith("pkg:maven/org.apache.kafka/kafka-clients@"));
  }

  private String health(String container) {
    return shell
        .run("docker", "inspect", "--format", "{{.State.Health.Status}}", container)
        .strip();
  }

  /** {@code docker run} of a command inside the image, with nothing allowed that can be denied. */
  private static String[] restricted(List<String> options, String... command) {
    // Its home, because the sessions of ComposeIT are counted by theirs.
    String run =
        "docker run --rm --read-only --tmpfs /tmp:exec --cap-drop ALL --security-opt"
            + " no-new-privileges --user 54321:12345 --env HOME=/tmp";
    var all = new ArrayList<>(List.of(run.split(" ")));
    all.addAll(options);
    all.addAll(List.of("--entrypoint", command[0], "flyball:latest"));
    all.addAll(List.of(command).subList(1, command.length));
    return all.toArray(String[]::new);
  }
}
