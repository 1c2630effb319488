package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two agents, chosen by what triage says about each item. */
@Tag("long")
final class RoutedItemsIT {
  private static final String DEEP_TEXT =
      "Ledger.expireLease fails with an exception in src/Ledger.java. Steps: start two runners,"
          + " wait. Expected: the lease stays. Actual: java.lang.IllegalStateException at"
          + " Ledger.expireLease(Ledger.java:3)";

  @TempDir Path folder;

  @Test
  @DisplayName("each item gets the agent of its complexity, seen in events, cost and analysis")
  void eachItemGetsTheAgentOfItsComplexity() {
    var desk = new Desk(folder);
    desk.write(
        "items.jsonl",
        Desk.item("deep", "Lease expires too early", DEEP_TEXT, "1")
            + "{\"id\":\"small\",\"title\":\"The second report has no page of results for its"
            + " region\",\"type\":\"Task\",\"tags\":[\"needs-analysis\"]}\n");
    desk.write(
        "flyball.yaml",
        """
        sessions: {agent: scout, repo: repo}
        agents:
          - {name: small, agent: "%s", prices: {input: 1, output: 2}}
          - {name: deep, agent: "%s", args: [look closely], prices: {input: 10, output: 20}}
        routes:
          - {profile: deep, complexity: 5}
          - {profile: small, complexity: 1-4}
        """
            .formatted(
                desk.agent("small.sh", says("small answer")),
                desk.agent("deep.sh", says("deep answer after $1"))));

    Program run = Program.run(folder, "run", "items.jsonl", "--yes", "--json");

    assertThat(run.awaitEnd()).as(run::err).isZero();
    assertThat(run.json().path("sessions").path("completed").asInt()).isEqualTo(2);
    assertThat(run.json().path("costMicros").asLong()).as("9 tokens each").isEqualTo(10 + 100);
    routed("deep", "routes[0]: complexity", "deep answer after look closely", 100);
    routed("small", "routes[1]: complexity", "small answer", 10);
  }

  private void routed(String item, String rule, String text, long costMicros) {
    JsonNode analysis = Program.run(folder, "analysis", item, "--json").json();
    assertThat(analysis.path("profile").asText()).isEqualTo(item);
    assertThat(analysis.path("routedBy").asText()).startsWith(rule);
    assertThat(analysis.path("text").asText()).contains(text);
    assertThat(analysis.path("costMicros").asLong()).isEqualTo(costMicros);

    String timeline = Program.run(folder, "item", item, "--json").out();
    for (String event : new String[] {"requested", "spawned", "completed"}) {
      assertThat(timeline.replace("\n", ""))
          .as(event)
          .containsPattern("session\\." + event + "\\.v1.{0,900}\"profile\":\"" + item + "\"");
    }
  }

  /** An agent that used eight input tokens and one output token. */
  private static String says(String answer) {
    return """
    cat > /dev/null
    echo '{"type":"system","subtype":"init","session_id":"s","model":"none"}'
    echo '{"type":"assistant","message":{"id":"m1","content":[],"usage":{"input_tokens":8,"output_tokens":1}}}'
    echo '{"type":"result","subtype":"success","is_error":false,"result":"%s","usage":{"input_tokens":8,"output_tokens":1}}'
    """
        .formatted(answer.replace("$1", "'\"$1\"'"));
  }
}
