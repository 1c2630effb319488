package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Items that change, and an agent whose stored session does not work any more. The agent speaks as
 * claude does: it fails only when it is to resume, as the item says, and notes its arguments. It
 * ends within milliseconds, so that its events may be read after its release.
 */
@Tag("long")
@DisplayName("A session that does not work any more is left, whichever way it shows that")
final class DeadSessionIT {
  private static final String SESSION = "5e55104d-0000-4000-8000-000000000001";
  private static final String CLAUDE =
      """
      case "$*" in *--version*) echo "2.1.223 (Claude Code)"; exit ;; esac
      prompt=$(cat)
      case $prompt in *zzquiet*) id=silent ;; *) id=failing ;; esac
      echo "$*" >> $HOME/$id.arguments
      echo "$prompt" >> $HOME/$id.prompts
      echo '{"type":"system","subtype":"init","session_id":"%s","model":"m"}'
      case "$*" in *--resume*)
        case $id in
          silent) echo '{"type":"result","subtype":"success","is_error":false,"num_turns":0,"duration_api_ms":0,"result":"","total_cost_usd":0}'; exit ;;
          failing) echo '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1,"usage":{"input_tokens":0,"output_tokens":0},"total_cost_usd":0}'; exit 1 ;;
        esac ;;
      esac
      echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"so"}],"usage":{"input_tokens":7,"output_tokens":1}}}'
      echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"see src/Ledger.java:3","total_cost_usd":0}'
      """
          .formatted(SESSION);

  @TempDir Path folder;

  @Test
  @DisplayName(
      "S3-1 S3-6: after three zero-token failures in a row, which use up no attempt, or after one"
          + " end without an error and without a turn")
  void threeFailuresWithoutATokenOrOneSilentEndAreEnough() {
    var desk = new Desk(folder);
    desk.agent("claude", CLAUDE);
    items(desk, "1");
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: claude, attempts: 2, back-off: 100ms}
        triage: {classifier: rules}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """);
    var environment = Map.of("PATH", folder + ":" + System.getenv("PATH"));
    try (Program _ = Program.up(folder, environment)) {
      KafkaFixture.await()
          .untilAsserted(() -> {
            assertThat(resumed("silent")).containsExactly(false);
            assertThat(resumed("failing")).containsExactly(false);
          });
      Program.awaitPrinted()
          .untilAsserted(() ->
              assertThat(Program.run(folder, "items", "--state", "analyzed").out())
                  .hasLineCount(3));

      items(desk, "2");
      KafkaFixture.await()
          .untilAsserted(() -> {
            assertThat(resumed("silent")).containsExactly(false, true, false);
            assertThat(resumed("failing")).containsExactly(false, true, true, true, false);
          });
      assertThat(read("failing.prompts"))
          .contains(
              "Starting a fresh session because 3 consecutive failed zero-token reused runs on"
                  + " persisted session "
                  + SESSION);
      for (String id : List.of("failing", "silent")) {
        Program.awaitPrinted()
            .untilAsserted(() ->
                assertThat(Program.run(folder, "item", "default/items/" + id).out())
                    .containsOnlyOnce("item.rotated"));
      }
    }
  }

  private static void items(Desk desk, String revision) {
    desk.write(
        "items.jsonl",
        Desk.item("failing", "Lease expires", Desk.LEASE + revision, revision)
            + Desk.item("silent", "A zzquiet lease expires", Desk.LEASE + revision, revision));
  }

  /** Of each call of the agent for an item, in order: whether it was to resume. */
  private List<Boolean> resumed(String id) {
    return read(id + ".arguments").lines().map(line -> line.contains("--resume")).toList();
  }

  private String read(String name) {
    try {
      Path file = folder.resolve(name);
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
