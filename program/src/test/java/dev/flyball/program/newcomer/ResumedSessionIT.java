package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.InstalledProgram;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An item that changes, analyzed by the real claude on a provider of ours. */
@Tag("long")
@DisplayName("The session of an item that changes goes on with the one before it")
final class ResumedSessionIT {
  private static final String FIRST = "The holder is never asked; see src/Ledger.java.";

  @TempDir Path folder;

  @Test
  @DisplayName("the real claude resumes, and remembers what it said")
  void theSecondSessionRemembersTheFirst() {
    try (var api = MessagesApi.answering(Turn.analysis(FIRST), Turn.analysis("As before."))) {
      run(api, "1");
      run(api, "2");

      assertThat(api.requests()).hasSize(2);
      assertThat(api.requests().getLast()).contains(FIRST);
    }
    assertThat(timeline()).contains("session.completed").doesNotContain("item.rotated");
  }

  @Test
  @DisplayName(
      "S3-10 S3-12: a session that claude does not know is rotated, never used again, and named")
  void anUnknownSessionIsLeftForAFreshOne() throws IOException {
    try (var api = MessagesApi.answering(Turn.analysis(FIRST))) {
      run(api, "1");
      forgetSessions();
      run(api, "2");

      assertThat(api.requests()).as("the unknown one asked no model").hasSize(2);
      assertThat(api.requests().getLast())
          .contains("Starting a fresh session because the agent found no conversation")
          .contains(FIRST);
      assertThat(timeline()).containsOnlyOnce("item.rotated");

      run(api, "3");
      assertThat(api.requests()).hasSize(3);
      assertThat(timeline()).as("the fresh one is resumed").containsOnlyOnce("item.rotated");
    }
  }

  private void run(MessagesApi api, String revision) {
    var desk = new Desk(folder);
    desk.write(
        "items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE + revision, revision));
    var environment = new HashMap<>(api.environment());
    environment.put("PATH", InstalledProgram.claude().getParent() + ":" + System.getenv("PATH"));
    environment.put("CLAUDE_CONFIG_DIR", folder.resolve("claude").toString());
    List<String> command =
        List.of(
            "run",
            "items.jsonl",
            "--repo",
            "repo",
            "--agent",
            "claude",
            "--yes",
            "--json",
            "--set",
            "triage.classifier=rules");
    try (Program program = Program.start(folder, environment, command.toArray(String[]::new))) {
      assertThat(program.awaitEnd()).as(program::err).isZero();
      JsonNode report = program.json();
      assertThat(report.path("analyses").asInt()).as(program::err).isEqualTo(1);
    }
  }

  /** As a person or a clean-up does, who deletes what the program stored. */
  private void forgetSessions() throws IOException {
    try (var files = Files.walk(folder.resolve("claude/projects"))) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private String timeline() {
    return Program.run(folder, "item", "default/items/1").out();
  }
}
