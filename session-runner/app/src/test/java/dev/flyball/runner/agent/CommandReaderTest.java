package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a program's output means")
class CommandReaderTest {
  private static final Exit OK = new Exit(0, 0);
  private final CommandReader reader = new CommandReader();

  @Test
  void plainTextIsTheAnswer() {
    assertThat(reader.line("first")).isEmpty();
    assertThat(reader.line("{\"type\":\"log\",\"result\":\"a line of some program\"}")).isEmpty();

    assertThat(reader.end(OK, "").text()).startsWith("first\n{");
  }

  @Test
  @DisplayName("figures that are nonsense are bounded: no exception, no negative money (INV-8)")
  void nonsenseFiguresAreBounded() {
    for (String cost : List.of("-5", "1e400", "9.9e300", "1e999999999", "\"7\"")) {
      List<AgentSignal> signals =
          reader.line(
              "{\"type\":\"result\",\"result\":\"x\",\"total_cost_usd\":"
                  + cost
                  + ",\"usage\":{\"input_tokens\":-9,\"output_tokens\":9223372036854775807}}");
      var usage = (AgentSignal.Usage) signals.getLast();

      assertThat(usage.costMicros()).as(cost).isBetween(0L, 1_000_000_000_000L);
      assertThat(usage.inputTokens()).isZero();
      assertThat(usage.tokens()).isBetween(0L, 1_000_000_000_000L);
    }
  }

  @Test
  void excerptsAreBoundedTogether() {
    String file = "{\"path\":\"a\",\"excerpt\":\"" + "x".repeat(100_000) + "\"}";
    reader.line(
        "{\"type\":\"result\",\"text\":\"t\",\"files\":["
            + String.join(",", Collections.nCopies(50, file))
            + "]}");

    var answer = (AgentAnswer.Complete) reader.end(OK, "");
    assertThat(answer.files()).hasSize(50);
    assertThat(answer.files().stream().mapToInt(each -> each.excerpt().length()).sum())
        .isEqualTo(128 * 1024);
  }

  @Test
  void blankOutputIsNone() {
    reader.line("  ");

    AgentAnswer.Broken broken = broken(reader.end(OK, "warning: nothing to do\n"));

    assertThat(broken.failure()).isEqualTo(Transcript.NO_OUTPUT);
    assertThat(broken.reason()).endsWith(" warning: nothing to do");
  }

  @Test
  void streamJsonGivesTheVocabulary() {
    assertThat(
            reader.line(
                "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"model\":\"m\"}"))
        .containsExactly(new AgentSignal.Identified("s", "m"));
    assertThat(reader.line("[SandboxDebug] noise")).isEmpty();
    assertThat(
            reader.line(
                "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\"}]}}"))
        .containsExactly(new AgentSignal.ToolRunning(true));
    assertThat(
            reader.line(
                "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\"}]}}"))
        .containsExactly(new AgentSignal.ToolRunning(false));
    assertThat(
            reader.line(
                "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\"}}"))
        .containsExactly(new AgentSignal.Waiting("rate limit"));
    List<AgentSignal> last =
        reader.line(
            "{\"subtype\":\"success\",\"is_error\":false,\"result\":\"answer\",\"total_cost_usd\":0.0000015,"
                + "\"usage\":{\"input_tokens\":2,\"output_tokens\":3,\"cache_read_input_tokens\":5},\"type\":\"result\"}");

    assertThat(last).hasSize(2).contains(new AgentSignal.Usage(2, 3, 5, 2));
    assertThat(reader.end(OK, "").text()).isEqualTo("answer");
    assertThat(reader.soFar()).isInstanceOf(AgentAnswer.Complete.class);
  }

  @Test
  void streamJsonWithoutAResultIsNoOutput() {
    reader.line("{\"type\":\"system\",\"subtype\":\"init\"}");
    reader.line(
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"so"
            + " far\"}]}}");

    AgentAnswer answer = reader.end(OK, "");

    assertThat(broken(answer).failure()).isEqualTo(Transcript.NO_OUTPUT);
    assertThat(answer.text()).isEqualTo("so far");
  }

  @Test
  void aLongAnswerIsCutAndMarked() {
    for (int i = 0; i < 10; i++) {
      reader.line("x".repeat(100_000));
    }

    assertThat(reader.end(OK, "").text())
        .hasSizeLessThan(AgentReader.MAX_ANSWER + 100)
        .endsWith("characters]");
  }

  private static AgentAnswer.Broken broken(AgentAnswer answer) {
    assertThat(answer).isInstanceOf(AgentAnswer.Broken.class);
    return (AgentAnswer.Broken) answer;
  }
}
