package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentSignal.ToolRunning;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What is particular about Codex")
class CodexReaderTest {
  private final CodexReader reader = new CodexReader(null, TokenCount.NONE);

  @Test
  @DisplayName("waiting for a network is a sign of life and no progress (seen with 0.169.0)")
  void reconnectingIsOnlyWaiting() {
    String words = "Reconnecting... waiting for network (Connection failed)";

    assertThat(reader.line("{\"type\":\"error\",\"message\":\"" + words + "\"}"))
        .containsExactly(new Waiting(words));
  }

  @Test
  void anErrorItemIsAWarning() {
    assertThat(
            reader.line(
                "{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"error\","
                    + "\"message\":\"unknown model\"}}"))
        .isEmpty();
  }

  @Test
  void aDeclinedCommandHasEndedToo() {
    assertThat(item("item.started", "in_progress")).containsExactly(new ToolRunning(true));
    assertThat(item("item.completed", "declined")).containsExactly(new ToolRunning(false));
  }

  @Test
  @DisplayName("its input count has the cached tokens in it; ours has not")
  void cachedTokensAreCountedApart() {
    assertThat(turn(1)).contains(new Usage(60, 7, 40, 0));
  }

  @Test
  @DisplayName("S3-18: it reports its thread's total, of which each turn is counted once (0.169.0)")
  void aTotalIsNotCountedTwice() {
    assertThat(turn(1)).contains(new Usage(60, 7, 40, 0));
    assertThat(turn(3)).contains(new Usage(180, 21, 120, 0));
  }

  @Test
  @DisplayName("what a thread had used before it was resumed is not counted again")
  void aResumedThreadCountsWhatIsNew() {
    var resumed = new CodexReader(null, new TokenCount(60, 40, 7));

    assertThat(resumed.line(usage(2))).contains(new Usage(60, 7, 40, 0));
  }

  @Test
  void anUnknownThreadSaysSoOnStandardErrorOnly() {
    assertThat(reader.end(new Exit(1, 0), "no rollout found for thread id x"))
        .isInstanceOfSatisfying(
            AgentAnswer.Broken.class,
            answer ->
                assertThat(answer.failure())
                    .isEqualTo(new Failure(Failure.Kind.TRANSIENT, Failure.UNKNOWN_SESSION)));
  }

  private List<AgentSignal> turn(int times) {
    return reader.line(usage(times));
  }

  private static String usage(int times) {
    return "{'type':'turn.completed','usage':{'input_tokens':%d,'cached_input_tokens':%d,'output_tokens':%d}}"
        .formatted(100 * times, 40 * times, 7 * times)
        .replace('\'', '"');
  }

  private List<AgentSignal> item(String type, String status) {
    return reader.line(
        "{\"type\":\""
            + type
            + "\",\"item\":{\"id\":\"i\",\"type\":\"command_execution\",\"status\":\""
            + status
            + "\"}}");
  }
}
