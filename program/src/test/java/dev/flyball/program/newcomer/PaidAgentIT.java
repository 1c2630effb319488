package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.testkit.InstalledProgram;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run with the real claude, on a provider of ours. */
@Tag("long")
final class PaidAgentIT {
  @TempDir Path folder;

  @Test
  @DisplayName("analyses come back with model and cost, and the key is seen nowhere")
  void aRunWithClaudeAnalysesCountsItsCostAndHidesItsKey() throws IOException {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
    try (var api =
        MessagesApi.answering(Turn.analysis("See src/Ledger.java; the key is no-key-at-all."))) {
      var environment = new HashMap<>(api.environment());
      environment.put("PATH", InstalledProgram.claude().getParent() + ":" + System.getenv("PATH"));

      try (Program program =
          Program.start(
              folder,
              environment,
              "run",
              "items.jsonl",
              "--repo",
              "repo",
              "--agent",
              "claude",
              "--yes",
              "--json",
              "--set",
              "sessions.model=claude-opus-5-5",
              "--set",
              "triage.classifier=rules")) {
        assertThat(program.awaitEnd()).as(program::err).isZero();
        assertThat(program.json().path("sessions").path("completed").asInt()).isEqualTo(2);
        assertThat(program.json().path("costMicros").asLong()).isPositive();
        assertThat(program.out() + program.err()).doesNotContain("no-key-at-all");
      }
      assertThat(api.requests())
          .hasSize(2)
          .allSatisfy(request ->
              assertThat(request).contains("BEGIN UNTRUSTED WORK ITEM", "claude-opus-5-5"));
    }
    Program analysis = Program.run(folder, "analysis", "default/items/1");
    assertThat(analysis.out()).contains("See src/Ledger.java; the key is [redacted].");
    assertThat(Files.readString(folder.resolve(".flyball/logs/flyball.log")))
        .doesNotContain("no-key-at-all");
    assertThat(ProcSampler.sessions("HOME=" + folder)).isEmpty();
  }
}
