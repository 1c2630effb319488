package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.ChatVerdicts;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("S0-37: the backlog of the incident costs one call and two or three sessions")
final class IncidentIT {
  /** An agent that starts as many processes as one that searches with care: 3 beside itself. */
  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      sleep 300 &
      sleep 300 &
      sleep 2
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void byRules(@TempDir Path folder) throws IOException {
    incident(folder, 3, "by rules", "triage.classifier=rules");
  }

  @Test
  void byAnAgentThatIsAskedOnce(@TempDir Path folder) throws IOException {
    Path model = Path.of("../examples/fault-agent").toAbsolutePath().normalize();
    incident(folder, 2, "by an agent", "triage.classifier=agent", "triage.agent=command:" + model);
  }

  @Test
  void byAModelOverHttpThatIsAskedOnce(@TempDir Path folder) throws IOException {
    try (var models = FaultServer.http()) {
      models.otherwise(request -> ChatVerdicts.of(request.body(), 3));

      incident(
          folder,
          2,
          "by an endpoint",
          "triage.classifier=messages",
          "triage.api=chat",
          "triage.url=" + models.url(),
          "triage.model=small",
          "triage.prices.input=0",
          "triage.prices.output=0");

      assertThat(models.requests()).hasSize(1);
    }
  }

  private static void incident(Path folder, int cap, String judge, String... triage)
      throws IOException {
    var place = Workplace.in(folder, AGENT);
    String broker = "broker: {listen: \"127.0.0.1:" + FreePort.take() + "\"}";
    place.configure(broker, cap, Workplace.SCALED).withoutSources();
    place.write("items.jsonl", backlog());

    var peak = new AtomicInteger();
    JsonNode report;
    try (var sampler =
        ProcSampler.every(
            Duration.ofMillis(50),
            place.homeEntry(),
            sessions ->
                peak.accumulateAndGet(
                    sessions.stream().mapToInt(each -> ProcSampler.withCookie(each).size()).sum(),
                    Math::max))) {
      Objects.requireNonNull(sampler);
      var command =
          new ArrayList<>(List.of("run", "items.jsonl", "--repo", place.repository().toString()));
      command.addAll(List.of("--data", "data", "--json"));
      // A busy machine may take longer than any linger to read the items of one poll, so the batch
      // is full with them.
      command.addAll(List.of("--set", "triage.batch.linger=1m"));
      command.addAll(List.of("--set", "triage.batch.items=" + IncidentSessions.all().size()));
      for (String each : triage) {
        command.addAll(List.of("--set", each));
      }
      Program run = Program.start(place.home, command.toArray(String[]::new));
      assertThat(run.awaitExit(Duration.ofMinutes(3))).as(run::err).isZero();
      report = RecordJson.parse(run.out());
    }

    int sessions = report.path("sessions").path("completed").asInt();
    System.out.print(table(judge, report.path("triageCalls").asInt(), sessions, peak.get()));
    assertThat(report.path("items").asInt()).isEqualTo(IncidentSessions.all().size());
    assertThat(report.path("triageCalls").asInt()).isEqualTo(1);
    assertThat(sessions).isBetween(2, 3);
    assertThat(report.path("analyses").asInt()).isEqualTo(sessions);
    assertThat(peak).hasValueLessThanOrEqualTo(16);
    assertThat(place.live()).as("INV-5").isEmpty();
  }

  private static String backlog() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(IncidentIT.class.getResourceAsStream("/incident-backlog.jsonl"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String table(String judge, int calls, int sessions, int peak) {
    int agents = IncidentSessions.all().size();
    int children = IncidentSessions.all().values().stream().mapToInt(Integer::intValue).sum();
    return String.format(
        Locale.ROOT,
        """
        16 changed items              | the incident | here, %s
        triage calls                  | %12d | %d
        deep sessions                 | %12d | %d
        processes at the peak         | %12d | %d
        """,
        judge,
        0,
        calls,
        agents,
        sessions,
        children + agents,
        peak);
  }
}
