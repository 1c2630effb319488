package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.Folders;
import dev.flyball.testkit.InstalledProgram;
import dev.flyball.testkit.ResponsesApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An item that changes, analyzed by the real codex through a profile with a provider of ours. */
@Tag("long")
@DisplayName("The real codex on a provider of one's own")
final class CodexProviderIT {
  private static final String FIRST = "The holder is never asked; see src/Ledger.java:3.";

  /** What one turn costs at the profile's prices, in micro-dollars. */
  private static final long TURN =
      ResponsesApi.INPUT_TOKENS * 10L + ResponsesApi.OUTPUT_TOKENS * 20L;

  @TempDir Path folder;

  @Test
  @DisplayName(
      "it resumes, its tokens are counted once, and an unknown session is left: S3-10 S3-18")
  void aThreadGoesOnUntilItIsUnknown() throws Exception {
    try (var api = ResponsesApi.answering(FIRST, "As before.")) {
      assertThat(run(api, "1").path("costMicros").asLong()).isEqualTo(TURN);
      assertThat(api.requests()).hasSize(1);

      assertThat(run(api, "2").path("costMicros").asLong()).as("not the thread's").isEqualTo(TURN);
      assertThat(api.requests()).hasSize(2);
      assertThat(api.requests().getLast()).as("it remembers").contains(FIRST);
      assertThat(timeline()).doesNotContain("item.rotated");

      Folders.delete(folder.resolve("codex"));
      run(api, "3");
      assertThat(api.requests()).as("the unknown one asked no model").hasSize(3);
      assertThat(api.requests().getLast())
          .contains("Starting a fresh session because the agent found no conversation");
      assertThat(timeline()).containsOnlyOnce("item.rotated");
    }
    JsonNode analysis = Program.run(folder, "analysis", "1", "--json").json();
    assertThat(analysis.path("profile").asText()).isEqualTo("own");
    assertThat(analysis.path("text").asText()).contains("As before.");
  }

  private JsonNode run(ResponsesApi api, String revision) throws Exception {
    var desk = new Desk(folder);
    Files.createDirectories(folder.resolve("codex"));
    desk.write(
        "items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE + revision, revision));
    desk.write(
        "flyball.yaml",
        """
        sessions: {agent: scout, repo: repo}
        triage: {classifier: rules}
        agents:
          - name: own
            agent: codex
            model: a-model
            args: [-c, model_provider=local, -c, 'model_providers.local={name="local",base_url="%s",wire_api="responses",env_key="LOCAL_KEY"}']
            env: [LOCAL_KEY]
            provider: local
            prices: {input: 10, output: 20}
        routes: [{profile: own}]
        """
            .formatted(api.url()));
    var environment = new HashMap<String, String>();
    environment.put("PATH", InstalledProgram.codex().getParent() + ":" + System.getenv("PATH"));
    environment.put("CODEX_HOME", folder.resolve("codex").toString());
    environment.put("LOCAL_KEY", "no-key-at-all");
    String[] command = List.of("run", "items.jsonl", "--yes", "--json").toArray(String[]::new);
    try (Program program = Program.start(folder, environment, command)) {
      assertThat(program.awaitEnd()).as(program::err).isZero();
      assertThat(program.json().path("analyses").asInt()).as(program::err).isEqualTo(1);
      return program.json();
    }
  }

  private String timeline() {
    return Program.run(folder, "item", "default/items/1").out();
  }
}
