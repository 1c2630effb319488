package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The incident again, with as many processes as then: 16 agents that search without end, and 367
 * processes that they start. A third of these leaves the agent's process group by setsid, a third
 * is grep.
 */
@Tag("long")
@DisplayName("S0-1, S0-2: sixteen runaway agents are contained three at a time, and none survives")
final class RunawayDrillIT {
  private static final int CAP = 3;

  /** An agent's shell, and the sleep between two of its lines. */
  private static final int OWN = 2;

  /** Grep waits for a pipe that no process writes, as one on a slow disk does for its files. */
  private static final String AGENT =
      """
      #!/bin/sh
      prompt=$(cat)
      here=HERE
      while read -r id children; do
        case $prompt in *"$id"*) break ;; esac
      done <"$here/sessions.tsv"
      i=0
      while [ $i -lt "$children" ]; do
        case $((i % 3)) in
          0) setsid sleep 600 & ;;
          1) grep -r -D read needle "$here/pipes" & ;;
          2) sleep 600 & ;;
        esac
        i=$((i + 1))
      done
      while :; do
        echo "searching"
        sleep 1
      done
      """;

  private final Map<String, Integer> largest = new ConcurrentHashMap<>();
  private final AtomicInteger mostSessions = new AtomicInteger();
  private final AtomicInteger mostProcesses = new AtomicInteger();

  @Test
  void theOverloadIsContained(@TempDir Path folder) throws Exception {
    Map<String, Integer> incident = IncidentSessions.all();
    assertThat(incident.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(367);
    var place = Workplace.in(folder, AGENT.replace("HERE", folder.toString()));
    place.write("sessions.tsv", IncidentSessions.text());
    place.write("pipes/README", "nothing");
    assertThat(
            new ProcessBuilder("mkfifo", folder + "/pipes/never")
                .start()
                .waitFor(9, TimeUnit.SECONDS))
        .isTrue();
    place
        .configure("broker: {listen: \"127.0.0.1:" + FreePort.take() + "\"}", CAP, Workplace.SCALED)
        .withoutSources();
    place.write(
        "items.jsonl",
        incident.keySet().stream().map(RunawayDrillIT::item).collect(Collectors.joining()));

    JsonNode report;
    try (var sampler = ProcSampler.every(Duration.ofMillis(100), place.homeEntry(), this::look)) {
      Objects.requireNonNull(sampler);
      report = run(place);
    }

    assertThat(report.path("sessions").path("timedOut").asInt())
        .as("%s", report)
        .isEqualTo(incident.size());
    assertThat(mostSessions).hasValue(CAP);
    assertThat(largest.values().stream().sorted())
        .as("each agent started all that it started then")
        .isEqualTo(incident.values().stream().map(each -> each + OWN).sorted().toList());
    assertThat(mostProcesses).hasValueLessThanOrEqualTo(largestTrees(incident));
    assertThat(place.live()).as("INV-5").isEmpty();
    System.out.printf(
        "drill: %d agents, at most %d sessions and %d processes at a time (the incident: 16 and"
            + " 383)%n",
        largest.size(), mostSessions.get(), mostProcesses.get());
  }

  private void look(Set<String> sessions) {
    mostSessions.accumulateAndGet(sessions.size(), Math::max);
    int all = 0;
    for (String session : sessions) {
      int processes = ProcSampler.withCookie(session).size();
      largest.merge(session, processes, Math::max);
      all += processes;
    }
    mostProcesses.accumulateAndGet(all, Math::max);
  }

  private static JsonNode run(Workplace place) throws IOException {
    Program run =
        Program.start(
            place.home,
            "run",
            "items.jsonl",
            "--repo",
            place.repository().toString(),
            "--data",
            "data",
            "--set",
            "sessions.attempts=1",
            "--set",
            "sessions.wall-clock=8s",
            "--json");
    // Timed out sessions are failures: all is done, and not all is well.
    assertThat(run.awaitExit(Duration.ofMinutes(5))).as(run::err).isEqualTo(3);
    return RecordJson.parse(run.out());
  }

  private static int largestTrees(Map<String, Integer> incident) {
    return incident.values().stream()
        .sorted(Collections.reverseOrder())
        .limit(CAP)
        .mapToInt(children -> children + OWN)
        .sum();
  }

  private static String item(String id) {
    return """
    {"id":"%s","title":"Search the whole repository","description":"Find each use of it.","type":"Bug","tags":["needs-analysis"]}
    """
        .formatted(id);
  }
}
