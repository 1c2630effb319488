package dev.flyball.program.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docker-compose.yml on this machine (MC-3, MC-9), as docs/deploy.md says: items through, replicas
 * added and killed, and the cap as /proc of the host shows it over all containers.
 */
@Tag("container")
class ComposeIT {
  private static final Path CLONE = Path.of("..").toAbsolutePath().normalize();
  private static final String PROJECT = "flyball-it";

  /** What the sessions of containers carry, and no others of this machine. */
  private static final String MARK = "HOME=/data";

  private static final int CAP = 3;
  private static final int ITEMS = 26;
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /** Ends with a child that lives on, and takes long enough to be counted. */
  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      (sleep 600 &)
      sleep 3
      echo "Main.java line 1 is the cause"
      """;

  private final int kafka = FreePort.take();
  private final int console = FreePort.take();
  private final int prometheus = FreePort.take();

  @TempDir Path folder;
  private Shell compose;

  @BeforeEach
  void start() throws IOException {
    assumeThat(new Shell(CLONE).outcome("docker", "image", "inspect", "flyball:latest").code())
        .as("no image flyball:latest: build it as docs/deploy.md says")
        .isZero();
    Path work = Files.createDirectories(folder.resolve("work"));
    Path items = Files.createDirectories(folder.resolve("items"));
    Files.writeString(
        Files.createDirectory(work.resolve("repo")).resolve("Main.java"), "class Main {}\n");
    Files.writeString(work.resolve("agent.sh"), AGENT).toFile().setExecutable(true, false);
    Files.writeString(
        items.resolve("work-items.jsonl"),
        IntStream.range(0, ITEMS)
            .mapToObj(id -> Workplace.item(id, 1))
            .collect(Collectors.joining()));
    String sample = Files.readString(CLONE.resolve("ops/compose/flyball.yaml"));
    Files.writeString(
        folder.resolve("flyball.yaml"),
        sample.replace(
                "agent: scout, repo: /repo", "agent: \"command:/repo/agent.sh\", repo: /repo/repo")
            + "gate: {load: 1000, pressure: 100}\n");
    open(folder);
    compose =
        new Shell(CLONE)
            .with("FLYBALL_CONFIG", folder.resolve("flyball.yaml").toString())
            .with("FLYBALL_ITEMS", items.toString())
            .with("FLYBALL_REPO", work.toString())
            .with("FLYBALL_KAFKA_PORT", Integer.toString(kafka))
            .with("FLYBALL_CONSOLE_PORT", Integer.toString(console))
            .with("FLYBALL_PROMETHEUS_PORT", Integer.toString(prometheus));
  }

  @AfterEach
  void down() {
    if (compose != null) {
      compose("down", "--volumes", "--timeout", "60");
      assertThat(compose("ps", "--quiet").strip()).isEmpty();
      assertThat(ProcSampler.sessions(MARK)).as("processes of sessions after down").isEmpty();
    }
  }

  @Test
  void itemsGoThroughWhileReplicasComeGoAndDie() throws Exception {
    var most = new AtomicInteger();
    var seen = new TreeSet<String>();
    try (var _ =
        ProcSampler.every(
            Duration.ofMillis(20),
            MARK,
            live -> {
              most.accumulateAndGet(live.size(), Math::max);
              synchronized (seen) {
                seen.addAll(live);
              }
            })) {
      compose("up", "--detach", "--no-build");
      awaitSessions(seen, 3);
      compose("up", "--detach", "--no-build", "--scale", "session-runner=5");
      awaitSessions(seen, 7);
      assertThat(runners()).hasSize(5);
      new Shell(CLONE).run("docker", "kill", runners().getFirst());
      awaitSessions(seen, 11);
      compose("up", "--detach", "--no-build", "--scale", "session-runner=2");
      awaitSessions(seen, 15);
      await("every role is scraped").atMost(PATIENCE).until(this::everyRoleIsScraped);
      await("every item is settled")
          .atMost(PATIENCE)
          .pollInterval(Duration.ofSeconds(2))
          .until(() -> settled() == ITEMS);
    }
    System.out.printf("compose: %d sessions, at most %d at once%n", seen.size(), most.get());
    assertThat(most.get()).as("INV-1 by /proc of the host").isLessThanOrEqualTo(CAP);
    assertThat(mostSurvivors()).as("INV-5 as Prometheus has it of every replica").isEqualTo("0");
    String events =
        new Shell(CLONE)
            .run("kcat", "-Ceq", "-b", "127.0.0.1:" + kafka, "-t", "flyball.session-events");
    assertThat(events.lines().count()).isGreaterThan(ITEMS);
    Shell.Outcome write =
        new Shell(CLONE)
            .outcome(
                "sh",
                "-c",
                "echo x | timeout 20 kcat -P -b 127.0.0.1:" + kafka + " -t flyball.session-ledger");
    assertThat(write.output()).contains("Topic authorization failed");
  }

  private String compose(String... arguments) {
    var command = new ArrayList<>(List.of("docker-compose", "--project-name", PROJECT));
    if (new Shell(CLONE).outcome("docker", "compose", "version").code() == 0) {
      command.set(0, "compose");
      command.addFirst("docker");
    }
    command.addAll(List.of(arguments));
    return compose.run(command.toArray(String[]::new));
  }

  private List<String> runners() {
    return compose("ps", "--quiet", "session-runner").lines().filter(id -> !id.isBlank()).toList();
  }

  private static void awaitSessions(Set<String> seen, int count) {
    await(count + " sessions")
        .atMost(PATIENCE)
        .until(() -> {
          synchronized (seen) {
            return seen.size() >= count;
          }
        });
  }

  /** How many items are settled, by the command line inside a container. */
  private long settled() {
    return compose("exec", "-T", "console", "flyball", "items", "--no-headers", "--limit", "1000")
        .lines()
        .filter(line -> line.contains("\tanalyzed\t"))
        .count();
  }

  /** The most processes that survived a session, over all replicas and the whole test. */
  private String mostSurvivors() {
    String query = "/api/v1/query?query=max(max_over_time(flyball_survivors%5B10m%5D))";
    return prometheus(query).at("/data/result/0/value/1").asText();
  }

  private boolean everyRoleIsScraped() {
    JsonNode targets = prometheus("/api/v1/targets").path("data").path("activeTargets");
    var up = new TreeSet<String>();
    targets.forEach(target -> {
      if (target.path("health").asText().equals("up")) {
        up.add(target.path("labels").path("job").asText());
      }
    });
    return up.equals(
        Set.of("flyball-console", "flyball-producer", "flyball-runner", "flyball-triage"));
  }

  private JsonNode prometheus(String query) {
    URI address = URI.create("http://127.0.0.1:" + prometheus + query);
    return RecordJson.parse(Program.get(address).body());
  }

  /** A container's user is another one than this test's. */
  private static void open(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.toList()) {
        Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
  }
}
