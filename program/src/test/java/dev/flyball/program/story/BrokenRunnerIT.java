package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two runners as processes; one is broken in several ways in turn and repaired each time. */
@Tag("long")
@DisplayName("A runner with a fault of its own leaves its items to another, and ends none")
final class BrokenRunnerIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String WORKS =
      """
      #!/bin/sh
      cat > /dev/null
      sleep 1
      echo "see Main.java:1"
      """;

  private int items;

  @Test
  void brokenInTurnAndRepaired(@TempDir Path folder) throws Exception {
    var place = Workplace.in(folder, WORKS);
    for (String runner : List.of("runner-0", "runner-1")) {
      agent(place, runner, WORKS);
      place.write(runner + ".repo/Main.java", "class Main {}\n");
    }
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var cluster =
            new Cluster(place, broker.bootstrapServers(), data -> environment(folder, data))) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), 4, Workplace.SCALED);
      Path yaml = folder.resolve("flyball.yaml");
      place.write(
          "flyball.yaml",
          Files.readString(yaml)
              .replaceFirst("agent: \"[^\"]*\", repo: \"[^\"]*\"", "agent: \"command:the-agent\""));
      cluster.start(2);
      Program runner = cluster.runners.get(1);

      Path program = folder.resolve("runner-1.bin/the-agent");
      Path elsewhere = folder.resolve("elsewhere");
      Files.move(program, elsewhere);
      broken(cluster, place, runner, "agent-program");
      Files.move(elsewhere, program);
      repaired(cluster, place, runner);

      Path mount = folder.resolve("runner-1.repo");
      Files.move(mount, elsewhere);
      broken(cluster, place, runner, "repository");
      Files.move(elsewhere, mount);
      repaired(cluster, place, runner);

      agent(place, "runner-1", "#!/bin/sh\necho 'no code knows this' >&2\nexit 1\n");
      broken(cluster, place, runner, "agent-no-answers");
      agent(place, "runner-1", WORKS);
      repaired(cluster, place, runner);
    }
  }

  private void broken(Cluster cluster, Workplace place, Program runner, String code) {
    settles(
        cluster, place, () -> reasons(runner).stream().anyMatch(reason -> reason.contains(code)));
  }

  private void repaired(Cluster cluster, Workplace place, Program runner) {
    settles(cluster, place, () -> reasons(runner).isEmpty());
  }

  /** Adds items until the runner shows what is true: it learns that only in sessions. */
  private void settles(Cluster cluster, Workplace place, Callable<Boolean> shown) {
    await("what the runner shows")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          add(place, 4);
          return shown.call();
        });
    LedgerAudit audit = cluster.awaitSettled(items, PATIENCE);
    assertThat(audit.count(EventType.ITEM_DEAD_LETTERED)).as(cluster::said).isZero();
  }

  private void add(Workplace place, int count) {
    for (int i = 0; i < count; i++) {
      place.add(++items, 1);
    }
  }

  /** Replaces the program in one step: a shell may be reading it. */
  private static void agent(Workplace place, String runner, String script) throws IOException {
    Path next = place.home.resolve(runner + ".next");
    Files.writeString(next, script);
    next.toFile().setExecutable(true);
    Path bin = Files.createDirectories(place.home.resolve(runner + ".bin"));
    Files.move(
        next,
        bin.resolve("the-agent"),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  private static List<String> environment(Path folder, String data) {
    return data.startsWith("runner")
        ? List.of(
            "env",
            "PATH=" + folder.resolve(data + ".bin") + ":" + System.getenv("PATH"),
            "FLYBALL_SESSIONS_REPO=" + folder.resolve(data + ".repo"))
        : List.of();
  }

  /** What concerns the runner's faults; the machine of a test may be busy. */
  private static List<String> reasons(Program runner) {
    var faults = new ArrayList<String>();
    for (JsonNode reason : RecordJson.parse(runner.get("/health").body()).path("reasons")) {
      if (reason.asText().contains("agent-") || reason.asText().contains("repository")) {
        faults.add(reason.asText());
      }
    }
    return faults;
  }
}
