package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.Trace;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One trace from a change in the tracker to the write-back, as a collector gets it. */
@Tag("long")
final class TraceIT {
  private static final Trace TRACE = Trace.of("default/items/1", "7");

  private static final String FAILS_ONCE =
      """
      cat > /dev/null
      [ -e "$HOME/failed" ] || { touch "$HOME/failed"; exit 3; }
      echo "Main.java line 1, as $TRACEPARENT"
      """;

  @TempDir Path folder;

  @AutoClose
  private final FaultServer server =
      FaultServer.http().otherwise(_ -> FaultReply.status(200, Map.of()));

  @Test
  void everyStepOfAnItemIsASpanBelowItsChangeAlsoAfterARetryByTime() {
    var place = Workplace.in(folder);
    place.service("back-off: 1s, agent: \"" + place.agent("agent.sh", FAILS_ONCE) + "\"");
    place.change("interval: 1s", "$0, write-back: webhook, webhook-url: \"" + server.url() + "/\"");
    place.change("triage:", "traces: {endpoint: \"" + server.url() + "\"}\n$0");
    try (Program _ = Program.up(folder)) {
      // The exporter's group begins at the end: with what follows its first span.
      KafkaFixture.await().until(() -> !spans().isEmpty());
      place.addLine(Workplace.item("1", "Lease expires too early", Workplace.LEASE, "7"));

      KafkaFixture.await()
          .until(() -> trace().stream().anyMatch(it -> name(it).equals("write-back")));
    }
    List<JsonNode> trace = trace();
    trace.forEach(TraceIT::print);
    assertThat(trace)
        .extracting(TraceIT::name)
        .containsExactly(
            "change of default/items/1",
            "triage",
            "wait",
            "session of agent.sh",
            "wait",
            "session of agent.sh",
            "write-back");
    assertThat(trace.getFirst().get("spanId").asText()).isEqualTo(TRACE.span(Trace.CHANGE));
    assertThat(trace.getFirst().get("parentSpanId").asText()).isEmpty();
    assertThat(trace.subList(1, 7))
        .allMatch(it -> it.get("parentSpanId").asText().equals(TRACE.span(Trace.CHANGE)));
    assertThat(trace.get(3).at("/status/message").asText()).contains("exit 3");
    String given = "as 00-" + TRACE.id() + "-" + trace.get(5).get("spanId").asText() + "-01";
    assertThat(server.requests())
        .as("what the agent that answered was given")
        .anyMatch(it -> it.path().equals("/") && it.body().contains(given));
  }

  /** The spans of the item's change, by their beginning. */
  private List<JsonNode> trace() {
    return spans().stream()
        .filter(it -> it.get("traceId").asText().equals(TRACE.id()))
        .sorted(Comparator.comparing(it -> it.get("startTimeUnixNano").asText()))
        .toList();
  }

  private List<JsonNode> spans() {
    return server.requests().stream()
        .filter(it -> it.path().equals("/v1/traces"))
        .flatMap(it ->
            RecordJson.parse(it.body()).at("/resourceSpans/0/scopeSpans/0/spans").valueStream())
        .distinct()
        .toList();
  }

  private static String name(JsonNode span) {
    return span.get("name").asText();
  }

  /** The lines of docs/operate.md. */
  private static void print(JsonNode span) {
    System.out.printf(
        "%s parent=%-16s %-26s %6d ms %s%n",
        span.get("spanId").asText(),
        span.get("parentSpanId").asText(),
        name(span),
        (span.get("endTimeUnixNano").asLong() - span.get("startTimeUnixNano").asLong()) / 1_000_000,
        span.at("/status/message").asText());
  }
}
