package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An item that changes, and an agent whose stored session does not work any more. The agent speaks
 * as claude does: it fails as the file {@code fault} says, but only when it is to resume, and notes
 * its arguments.
 */
@Tag("long")
@DisplayName("A session that does not work any more is left, whichever way it shows that")
final class DeadSessionIT {
  private static final String SESSION = "5e55104d-0000-4000-8000-000000000001";
  private static final int ATTEMPTS = 2;

  @TempDir Path folder;

  @BeforeEach
  void aFirstSessionHasAnswered() {
    String answers =
        """
        echo "$*" >> %1$s/arguments
        case "$*" in *--version*) echo "2.1.223 (Claude Code)"; exit ;; esac
        cat >> %1$s/prompts
        echo '{"type":"system","subtype":"init","session_id":"%2$s","model":"m"}'
        case "$*" in *--resume*) . %1$s/fault; exit ;; esac
        echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"so"}],"usage":{"input_tokens":7,"output_tokens":1}}}'
        echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"see src/Ledger.java:3","total_cost_usd":0}'
        """
            .formatted(folder, SESSION);
    new Desk(folder).agent("claude", answers);
    changed("1");
  }

  @Test
  @DisplayName("S3-1 S3-6: after three zero-token failures in a row, which use up no attempt")
  void threeFailuresWithoutATokenAreEnough() {
    fault(
        "echo '{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"num_turns\":1,\"usage\":{\"input_tokens\":0,\"output_tokens\":0},\"total_cost_usd\":0}';"
            + " exit 1");

    changed("2");

    assertThat(resumed()).as(this::timeline).containsExactly(false, true, true, true, false);
    assertThat(read("prompts"))
        .contains(
            "Starting a fresh session because 3 consecutive failed zero-token reused runs on"
                + " persisted session "
                + SESSION);
    assertThat(timeline()).containsOnlyOnce("item.rotated");
  }

  @Test
  @DisplayName("the silent form: after one end without an error and without a turn")
  void oneSilentEndIsEnough() {
    fault(
        "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":0,\"duration_api_ms\":0,\"result\":\"\",\"total_cost_usd\":0}'");

    changed("2");

    assertThat(resumed()).as(this::timeline).containsExactly(false, true, false);
    assertThat(timeline()).containsOnlyOnce("item.rotated");
  }

  /** Of each call of the agent, in order: whether it was to resume. */
  private List<Boolean> resumed() {
    return read("arguments")
        .lines()
        .filter(line -> !line.contains("--version"))
        .map(line -> line.contains("--resume"))
        .toList();
  }

  /** It ends within milliseconds, so that its events may be read after its release. */
  private void fault(String script) {
    new Desk(folder).write("fault", script + "\n");
  }

  private void changed(String revision) {
    var desk = new Desk(folder);
    desk.write(
        "items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE + revision, revision));
    var environment = new HashMap<String, String>();
    environment.put("PATH", folder + ":" + System.getenv("PATH"));
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
            "triage.classifier=rules",
            "--set",
            "sessions.attempts=" + ATTEMPTS,
            "--set",
            "sessions.back-off=100ms");
    try (Program program = Program.start(folder, environment, command.toArray(String[]::new))) {
      assertThat(program.awaitEnd()).as(program::err).isZero();
      assertThat(program.json().path("analyses").asInt()).as(program::err).isEqualTo(1);
    }
  }

  private String timeline() {
    return Program.run(folder, "item", "default/items/1").out();
  }

  private String read(String name) {
    try {
      return Files.readString(folder.resolve(name));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
