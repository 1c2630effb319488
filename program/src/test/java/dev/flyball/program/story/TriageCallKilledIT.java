package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.ProcSampler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
@DisplayName("INV-4, INV-5: a triage call ends with Flyball, however that ends, and is made again")
final class TriageCallKilledIT {
  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      echo "Main.java line 1 is the cause"
      """;

  @ParameterizedTest(name = "level {0}")
  @ValueSource(strings = {"A+", "B"})
  void nothingOfACallOutlivesAKill(String level, @TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    String broker = "broker: {listen: \"127.0.0.1:" + FreePort.take() + "\"}";
    place.configure(broker, 3, Workplace.SCALED);
    // One: a second question might come after the call, and be a call of its own.
    place.add(1, 1);
    place.withoutSources();

    Program killed = start(place, level, Map.of("FAULT", "brood"));
    await("a call with its children")
        .atMost(Duration.ofMinutes(2))
        .until(() -> processes(place) > 20);
    assertThat(place.live()).allMatch(each -> each.startsWith(AgentCall.COOKIE_PREFIX));

    killed.kill9();

    await("nothing of the call lives")
        .atMost(Duration.ofSeconds(10))
        .until(() -> place.live().isEmpty());

    Program next = start(place, level, Map.of());
    assertThat(next.awaitExit(Duration.ofMinutes(3))).as(next::err).isZero();
    assertThat(RecordJson.parse(next.out()).path("triageCalls").asInt()).isEqualTo(1);
    assertThat(RecordJson.parse(next.out()).path("analyses").asInt()).isEqualTo(1);
    assertThat(place.live()).isEmpty();
  }

  private static int processes(Workplace place) {
    return place.live().stream().mapToInt(each -> ProcSampler.withCookie(each).size()).sum();
  }

  private static Program start(Workplace place, String level, Map<String, String> fault) {
    Path model = Path.of("../examples/fault-agent").toAbsolutePath().normalize();
    List<String> settings =
        List.of(
            "triage.classifier=agent",
            "triage.agent=command:" + model,
            "sessions.env=FAULT",
            "containment.maximum=" + level);
    var command = new ArrayList<>(List.of("run", "items.jsonl", "--json"));
    command.addAll(List.of("--repo", place.repository().toString(), "--data", "data"));
    settings.forEach(each -> command.addAll(List.of("--set", each)));
    return Program.start(place.home, new HashMap<>(fault), command.toArray(String[]::new));
  }
}
