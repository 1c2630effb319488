package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The overload that Flyball exists for: 16 changed items, an agent for each, and the 367 processes
 * that a person counted below them.
 */
@Tag("long")
final class IncidentIT {
  /** Starts as many processes as an agent that searches with care: 3 beside itself. */
  private static final String CAREFUL =
      """
      cat > /dev/null
      sleep 300 &
      sleep 300 &
      sleep 2
      echo "Main.java line 1 is the cause"
      """;

  /**
   * Searches without end. A third of what it starts leaves its process group by setsid, a third is
   * grep, which waits for a pipe that no process writes, as one on a slow disk does for its files.
   */
  private static final String RUNAWAY =
      """
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

  private static final String SESSIONS = resource("incident-sessions.tsv");

  /** Child processes by the item's id. */
  private static final Map<String, Integer> INCIDENT =
      SESSIONS
          .lines()
          .map(line -> line.split("\t"))
          .collect(Collectors.toMap(row -> row[0], row -> Integer.valueOf(row[1])));

  private static final int CAP = 3;

  /** A runaway agent's shell, and the sleep between two of its lines. */
  private static final int OWN = 2;

  @TempDir Path folder;
  private Workplace place;
  private final Map<String, Integer> largest = new ConcurrentHashMap<>();
  private final AtomicInteger mostSessions = new AtomicInteger();
  private final AtomicInteger mostProcesses = new AtomicInteger();

  @BeforeEach
  void prepare() {
    place = Workplace.in(folder, CAREFUL);
    String broker = "broker: {listen: \"127.0.0.1:" + FreePort.take() + "\"}";
    place.configure(broker, CAP, Workplace.SCALED).withoutSources();
    place.write("items.jsonl", resource("incident-backlog.jsonl"));
  }

  @Test
  @DisplayName("S0-37: the backlog costs one call and two or three sessions, by rules")
  void byRules() {
    assertFewSessions(watched(() -> ended(0, start(Map.of(), "triage.classifier=rules"))), "rules");
  }

  @Test
  @DisplayName(
      "S0-37, INV-4, INV-5: also by an agent, whose first call ended with a Flyball that was killed"
          + " and is made again")
  void byAnAgentWhoseFirstCallIsKilled() {
    Path model = Path.of("../examples/fault-agent").toAbsolutePath().normalize();
    String[] triage = {
      "triage.classifier=agent",
      "triage.agent=command:" + model,
      "sessions.env=FAULT",
      "containment.maximum=B"
    };
    Program killed = start(Map.of("FAULT", "brood"), triage);
    await("a call with its children")
        .atMost(Duration.ofMinutes(2))
        .until(() ->
            place.live().stream().mapToInt(each -> ProcSampler.withCookie(each).size()).sum() > 20);
    assertThat(place.live()).allMatch(each -> each.startsWith(AgentCall.COOKIE_PREFIX));

    killed.kill9();

    await("nothing of the call lives")
        .atMost(Duration.ofSeconds(10))
        .until(() -> place.live().isEmpty());
    assertFewSessions(watched(() -> ended(0, start(Map.of(), triage))), "an agent");
  }

  @Test
  @DisplayName("S0-1, S0-2: sixteen runaway agents are contained three at a time, none survives")
  void runawayAgentsAreContained() {
    assertThat(INCIDENT.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(367);
    var _ = place.agent("agent.sh", RUNAWAY.replace("HERE", folder.toString()));
    place.write("sessions.tsv", SESSIONS);
    place.write("pipes/README", "nothing");
    var _ = Shell.said("mkfifo", folder + "/pipes/never");
    place.write(
        "items.jsonl",
        INCIDENT.keySet().stream()
            .map(id ->
                "{\"id\":\"%s\",\"title\":\"Search it all\",\"tags\":[\"needs-analysis\"]}\n"
                    .formatted(id))
            .collect(Collectors.joining()));

    // Timed out sessions are failures: all is done, and not all is well.
    JsonNode report =
        watched(() -> ended(3, start(Map.of(), "sessions.attempts=1", "sessions.wall-clock=5s")));

    assertThat(report.path("sessions").path("timedOut").asInt())
        .as("%s", report)
        .isEqualTo(INCIDENT.size());
    assertThat(mostSessions).hasValue(CAP);
    assertThat(largest.values().stream().sorted())
        .as("each agent started all that it started then")
        .isEqualTo(INCIDENT.values().stream().map(each -> each + OWN).sorted().toList());
    assertThat(mostProcesses).hasValueLessThanOrEqualTo(largestTrees());
    System.out.printf(
        "drill: %d agents, at most %d sessions and %d processes at a time (the incident: 16 and"
            + " 383)%n",
        largest.size(), mostSessions.get(), mostProcesses.get());
  }

  private void assertFewSessions(JsonNode report, String judge) {
    int sessions = report.path("sessions").path("completed").asInt();
    System.out.printf(
        Locale.ROOT,
        "by %s: %d triage calls, %d sessions and %d processes at the peak (the incident: 0, 16 and"
            + " 383)%n",
        judge,
        report.path("triageCalls").asInt(),
        sessions,
        mostProcesses.get());
    assertThat(report.path("items").asInt()).isEqualTo(INCIDENT.size());
    assertThat(report.path("triageCalls").asInt()).isEqualTo(1);
    assertThat(sessions).isBetween(2, 3);
    assertThat(report.path("analyses").asInt()).isEqualTo(sessions);
    assertThat(mostProcesses).hasValueLessThanOrEqualTo(16);
  }

  private Program start(Map<String, String> environment, String... settings) {
    // A busy machine may take longer than any linger to read the items of one poll, so the batch is
    // full with them.
    String[] batch = {"triage.batch.linger=1m", "triage.batch.items=" + INCIDENT.size()};
    return place.run(
        environment, Stream.concat(Stream.of(batch), Stream.of(settings)).toArray(String[]::new));
  }

  private static JsonNode ended(int code, Program run) {
    assertThat(run.awaitExit(Duration.ofMinutes(5))).as(run::err).isEqualTo(code);
    return run.json();
  }

  /** What a run reports, while /proc is looked at; nothing of it is left. */
  private JsonNode watched(Supplier<JsonNode> run) {
    JsonNode report;
    try (var sampler = ProcSampler.every(Duration.ofMillis(100), place.homeEntry(), this::look)) {
      Objects.requireNonNull(sampler);
      report = run.get();
    }
    assertThat(place.live()).as("INV-5").isEmpty();
    return report;
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

  private static int largestTrees() {
    return INCIDENT.values().stream()
        .sorted(Collections.reverseOrder())
        .limit(CAP)
        .mapToInt(children -> children + OWN)
        .sum();
  }

  private static String resource(String name) {
    try {
      return Files.readString(Path.of("src/test/resources", name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
