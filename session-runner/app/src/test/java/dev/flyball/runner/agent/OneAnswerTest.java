package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("An agent that answers one question")
final class OneAnswerTest {
  private static final TokenPrices FREE = new TokenPrices(0, 0, 0);

  @Test
  void aProviderOfOnesOwnReachesCodexBeforeItsPrompt() {
    AgentProfile own =
        profile(new AgentName.Codex("qwen3"), List.of("-c", "model_provider=local"), FREE);

    Agent agent = OneAnswer.of(own, "{}", 0).orElseThrow();

    assertThat(agent.program())
        .containsSubsequence("--output-schema", "-c", "model_provider=local", "-")
        .endsWith("-");
    assertThat(agent.is(Agent.Trait.PAID)).isFalse();
  }

  @Test
  void claudeHasNoToolsWhateverItsProfileHas() {
    var profile =
        new AgentProfile(
            "p",
            new AgentName.Claude("haiku"),
            List.of("--effort", "low"),
            List.of(),
            List.of("Read", "Grep"),
            null,
            null,
            AgentProfile.Bounds.USUAL);

    assertThat(OneAnswer.of(profile, "{}", 0).orElseThrow().program())
        .containsSubsequence("--tools", "")
        .containsSubsequence("--effort", "low")
        .doesNotContain("Read", "Grep", "Read,Grep");
  }

  @ParameterizedTest
  @CsvSource({"scout, false", "claude, true", "codex, true", "gemini, true"})
  void scoutAloneAnswersNoQuestion(String agent, boolean answers) {
    AgentProfile profile = AgentProfile.usual(AgentName.parse(agent));
    assertThat(OneAnswer.of(profile, "{}", 0).isPresent()).isEqualTo(answers);
  }

  private static AgentProfile profile(AgentName agent, List<String> arguments, TokenPrices prices) {
    return new AgentProfile(
        "p", agent, arguments, List.of(), List.of(), prices, null, AgentProfile.Bounds.USUAL);
  }
}
