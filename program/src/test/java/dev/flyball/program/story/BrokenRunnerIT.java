package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import java.nio.file.Files;
import java.nio.file.Path;
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
      cat > /dev/null
      sleep 0.3
      echo "see Main.java:1"
      """;

  @Test
  void brokenInTurnAndRepaired(@TempDir Path folder) throws Exception {
    try (var cluster = Cluster.in(folder, WORKS).configure(4, Workplace.SCALED)) {
      Workplace place = cluster.place;
      for (String runner : List.of("runner-0", "runner-1")) {
        agent(place, runner, WORKS);
        place.write(runner + ".repo/Main.java", "class Main {}\n");
      }
      place.change("agent: \"[^\"]*\", repo: repo", "agent: \"command:the-agent\"");
      cluster.behind(data -> environment(folder, data)).start(2);
      Program runner = cluster.runners.get(1);

      Path program = folder.resolve("runner-1.bin/the-agent");
      Path elsewhere = folder.resolve("elsewhere");
      Files.move(program, elsewhere);
      broken(cluster, runner, "agent-program");
      Files.move(elsewhere, program);
      repaired(cluster, runner);

      Path mount = folder.resolve("runner-1.repo");
      Files.move(mount, elsewhere);
      broken(cluster, runner, "repository");
      Files.move(elsewhere, mount);
      repaired(cluster, runner);

      agent(place, "runner-1", "echo 'no code knows this' >&2; exit 1\n");
      broken(cluster, runner, "agent-no-answers");
      agent(place, "runner-1", WORKS);
      repaired(cluster, runner);
    }
  }

  private static void broken(Cluster cluster, Program runner, String code) {
    settles(cluster, () -> reasons(runner).stream().anyMatch(reason -> reason.contains(code)));
  }

  private static void repaired(Cluster cluster, Program runner) {
    settles(cluster, () -> reasons(runner).isEmpty());
  }

  /** Adds items until the runner shows what is true: it learns that only in sessions. */
  private static void settles(Cluster cluster, Callable<Boolean> shown) {
    await("what the runner shows")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> {
          cluster.add(4);
          return shown.call();
        });
    LedgerAudit audit = cluster.awaitSettled(PATIENCE);
    assertThat(audit.count(EventType.ITEM_DEAD_LETTERED)).as(cluster::said).isZero();
  }

  private static void agent(Workplace place, String runner, String script) {
    var _ = place.agent(runner + ".bin/the-agent", script);
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
