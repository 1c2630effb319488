package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What is particular about Gemini CLI")
class GeminiReaderTest {
  private final GeminiReader reader = new GeminiReader();

  @ParameterizedTest
  @CsvSource({
    "41,runner,agent-login",
    "44,runner,agent-sandbox",
    "52,runner,agent-settings",
    "55,runner,agent-settings",
    "42,transient,exit-code",
    "53,transient,exit-code",
    "1,transient,exit-code"
  })
  @DisplayName("its exit codes say what went wrong, and whose fault that is")
  void exitCodesAreFailures(int exit, String kind, String code) {
    assertThat(reader.end(new Exit(exit, 0), ""))
        .isInstanceOfSatisfying(
            AgentAnswer.Broken.class,
            broken ->
                assertThat(broken.failure()).isEqualTo(new Failure(Kind.ofLabel(kind), code)));
  }

  @Test
  void aWarningIsNoComplaint() {
    assertThat(reader.line("{\"type\":\"error\",\"severity\":\"warning\",\"message\":\"looping\"}"))
        .isEmpty();
  }

  @Test
  @DisplayName("what it said before its last tool is no part of the answer")
  void theAnswerIsWhatCameLast() {
    say("I look.");
    var _ = reader.line("{\"type\":\"tool_use\",\"tool_id\":\"t\"}");
    say("Found");
    say(" it.");
    var _ = reader.line("{\"type\":\"result\",\"status\":\"success\"}");

    assertThat(reader.end(new Exit(0, 0), "").text()).isEqualTo("Found it.");
  }

  private void say(String text) {
    var _ =
        reader.line(
            "{\"type\":\"message\",\"role\":\"assistant\",\"delta\":true,\"content\":\""
                + text
                + "\"}");
  }
}
