package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.Folders;
import dev.flyball.testkit.InstalledProgram;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import dev.flyball.testkit.ProcSampler;
import dev.flyball.testkit.ResponsesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service with four agents: the real claude and the real codex, on providers of ours, and two
 * that triage chooses between. An item's next session goes on with the one before it.
 */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class AgentsIT {
  private static final String FIRST = "The holder is never asked; see src/Ledger.java.";
  private static final String KEY = "no-key-at-all";

  /** What one turn of codex costs at the profile's prices, in micro-dollars. */
  private static final long TURN =
      ResponsesApi.INPUT_TOKENS * 10L + ResponsesApi.OUTPUT_TOKENS * 20L;

  private static final String DEEP_TEXT =
      "Ledger.expireLease fails with an exception in src/Ledger.java. Steps: start two runners,"
          + " wait. Expected: the lease stays. Actual: java.lang.IllegalStateException at"
          + " Ledger.expireLease(Ledger.java:3)";

  @TempDir static Path folder;

  @AutoClose
  private static final MessagesApi MESSAGES =
      MessagesApi.answering(
          Turn.analysis(FIRST + " The key is " + KEY + "."), Turn.analysis("As before."));

  @AutoClose
  private static final ResponsesApi RESPONSES = ResponsesApi.answering(FIRST, "As before.");

  private static Workplace place;

  @AutoClose("stop")
  private static Program up;

  @BeforeAll
  static void start() throws IOException {
    place = Workplace.in(folder);
    Files.createDirectories(folder.resolve("codex"));
    for (String source : new String[] {"claude", "codex", "items"}) {
      place.write(source + ".jsonl", "");
    }
    place.write(
        "flyball.yaml",
        """
        sources:
          - {name: claude, type: jsonl, path: claude.jsonl, interval: 1s}
          - {name: codex, type: jsonl, path: codex.jsonl, interval: 1s}
          - {name: items, type: jsonl, path: items.jsonl, interval: 1s}
        sessions: {agent: scout, repo: repo}
        triage: {classifier: rules}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        agents:
          - {name: real, agent: claude, model: claude-opus-5-5, env: [ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, CLAUDE_CONFIG_DIR]}
          - name: own
            agent: codex
            model: a-model
            args: [-c, model_provider=local, -c, 'model_providers.local={name="local",base_url="%s",wire_api="responses",env_key="LOCAL_KEY"}']
            env: [LOCAL_KEY]
            provider: local
            prices: {input: 10, output: 20}
          - {name: small, agent: "%s", prices: {input: 1, output: 2}}
          - {name: deep, agent: "%s", args: [look closely], prices: {input: 10, output: 20}}
        routes:
          - {profile: real, sources: [claude]}
          - {profile: own, sources: [codex]}
          - {profile: deep, complexity: 5}
          - {profile: small, complexity: 1-4}
        """
            .formatted(
                RESPONSES.url(),
                place.agent("small.sh", says("small answer")),
                place.agent("deep.sh", says("deep answer after $1"))));
    var environment = new HashMap<>(MESSAGES.environment());
    environment.put(
        "PATH",
        InstalledProgram.claude().getParent()
            + ":"
            + InstalledProgram.codex().getParent()
            + ":"
            + System.getenv("PATH"));
    environment.put("CLAUDE_CONFIG_DIR", folder.resolve("claude").toString());
    environment.put("CODEX_HOME", folder.resolve("codex").toString());
    environment.put("LOCAL_KEY", KEY);
    up = Program.up(folder, environment);
  }

  @Test
  @Order(1)
  @DisplayName("the real claude resumes and remembers; its key is seen nowhere")
  void claudeGoesOnWithItsSession() throws IOException {
    changed("claude", "1");
    assertThat(MESSAGES.requests())
        .singleElement()
        .asString()
        .contains("BEGIN UNTRUSTED WORK ITEM", "claude-opus-5-5");
    assertThat(analysis("claude").path("text").asText())
        .contains(FIRST + " The key is [redacted].");
    assertThat(analysis("claude").path("costMicros").asLong()).isPositive();
    changed("claude", "2");
    assertThat(MESSAGES.requests()).hasSize(2);
    assertThat(MESSAGES.requests().getLast()).contains(FIRST);
    assertThat(timeline("claude")).contains("session.completed").doesNotContain("item.rotated");
    assertThat(up.out() + up.err()).doesNotContain(KEY);
    assertThat(Files.readString(folder.resolve(".flyball/logs/flyball.log"))).doesNotContain(KEY);
    assertThat(ProcSampler.sessions("HOME=" + folder)).isEmpty();
  }

  @Test
  @Order(2)
  @DisplayName(
      "S3-10 S3-12: a session that claude does not know is left for a fresh one, and named")
  void aSessionThatClaudeDoesNotKnowIsLeft() throws IOException {
    // As a person or a clean-up does, who deletes what the program stored.
    Folders.delete(folder.resolve("claude/projects"));
    changed("claude", "3");
    assertThat(MESSAGES.requests()).as("the unknown one asked no model").hasSize(3);
    assertThat(MESSAGES.requests().getLast())
        .contains("Starting a fresh session because the agent found no conversation")
        .contains("As before.");
    assertThat(timeline("claude")).containsOnlyOnce("item.rotated");
    changed("claude", "4");
    assertThat(MESSAGES.requests()).hasSize(4);
    assertThat(timeline("claude")).as("the fresh one is resumed").containsOnlyOnce("item.rotated");
  }

  @Test
  @Order(3)
  @DisplayName(
      "S3-10 S3-18: codex on a provider of one's own resumes, its tokens are counted once, and an"
          + " unknown session is left")
  void codexGoesOnUntilItsThreadIsUnknown() throws IOException {
    changed("codex", "1");
    assertThat(RESPONSES.requests()).hasSize(1);
    assertThat(analysis("codex").path("costMicros").asLong()).isEqualTo(TURN);
    changed("codex", "2");
    assertThat(RESPONSES.requests()).hasSize(2);
    assertThat(RESPONSES.requests().getLast()).as("it remembers").contains(FIRST);
    assertThat(analysis("codex").path("costMicros").asLong())
        .as("not the thread's")
        .isEqualTo(TURN);
    assertThat(timeline("codex")).doesNotContain("item.rotated");
    Folders.delete(folder.resolve("codex"));
    Files.createDirectory(folder.resolve("codex"));
    changed("codex", "3");
    assertThat(RESPONSES.requests()).as("the unknown one asked no model").hasSize(3);
    assertThat(RESPONSES.requests().getLast())
        .contains("Starting a fresh session because the agent found no conversation");
    assertThat(timeline("codex")).containsOnlyOnce("item.rotated");
    assertThat(analysis("codex").path("profile").asText()).isEqualTo("own");
    assertThat(analysis("codex").path("text").asText()).contains("As before.");
  }

  @Test
  @Order(4)
  @DisplayName("each item gets the agent of its complexity, seen in events, cost and analysis")
  void eachItemGetsTheAgentOfItsComplexity() {
    place.write(
        "items.jsonl",
        Workplace.item("deep", "Lease expires too early", DEEP_TEXT, "1")
            + "{\"id\":\"small\",\"title\":\"The second report has no page of results for its"
            + " region\",\"type\":\"Task\",\"tags\":[\"needs-analysis\"]}\n");
    routed("deep", "routes[2]: complexity", "deep answer after look closely", 100);
    routed("small", "routes[3]: complexity", "small answer", 10);
  }

  private static void routed(String item, String rule, String text, long costMicros) {
    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(up.get("/api/items?state=analyzed").body())
                .contains("default/items/" + item));
    JsonNode analysis = analysis("items/" + item);
    assertThat(analysis.path("profile").asText()).isEqualTo(item);
    assertThat(analysis.path("routedBy").asText()).startsWith(rule);
    assertThat(analysis.path("text").asText()).contains(text);
    assertThat(analysis.path("costMicros").asLong()).as("9 tokens").isEqualTo(costMicros);
    String timeline =
        CommandLineFixture.in(folder, "item", "default/items/" + item, "--json")
            .out()
            .replace("\n", "");
    for (String event : new String[] {"requested", "spawned", "completed"}) {
      assertThat(timeline)
          .as(event)
          .containsPattern("session\\." + event + "\\.v1.{0,900}\"profile\":\"" + item + "\"");
    }
  }

  /** Changes the source's item and waits for the analysis of this revision. */
  private static void changed(String source, String revision) {
    place.write(
        source + ".jsonl",
        Workplace.item("1", "Lease expires too early", Workplace.LEASE + revision, revision));
    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(up.json("/api/items?state=analyzed"))
                .anyMatch(row ->
                    row.path("key").asText().equals("default/" + source + "/1")
                        && row.path("revision").asText().equals(revision)));
  }

  private static JsonNode analysis(String item) {
    String key = "default/" + (item.contains("/") ? item : item + "/1");
    return CommandLineFixture.in(folder, "analysis", key, "--json").json();
  }

  private static String timeline(String source) {
    return CommandLineFixture.in(folder, "item", "default/" + source + "/1").out();
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
