package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.TokenCount;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("How an agent is told to go on with an earlier session")
class ResumingTest {
  private static final String ID = "0199-a.b_c";

  @Test
  void claudeIsToldToResumeInsteadOfTheIdToUse() {
    List<String> command = agent("claude").resuming(ID);

    assertThat(command).containsSequence("--resume", ID);
    assertThat(command).doesNotContain("--session-id", Agent.SESSION);
  }

  @Test
  @DisplayName("codex resumes by a subcommand, which comes after all options")
  void codexResumesBeforeItsPrompt() {
    Agent codex = agent("codex").withArguments(List.of("--oss"));

    assertThat(codex.resuming(ID)).endsWith("--oss", "resume", ID, "-");
    assertThat(codex.command("any")).doesNotContain("resume", "--ephemeral");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "", "a b", "../x", "-"})
  void anIdThatIsNotAPlainNameIsNeverAnArgument(String id) {
    assertThat(agent("claude").resumes(session("claude", id))).isFalse();
  }

  @ParameterizedTest(name = "{0} with a session of {1}: {2}")
  @CsvSource({
    "claude, claude, true",
    "claude, codex, false",
    "codex, codex, true",
    "gemini, gemini, false",
    "scout, scout, false"
  })
  void onlyAnAgentThatKeepsSessionsGoesOnWithItsOwn(String agent, String made, boolean resumes) {
    assertThat(agent(agent).resumes(session(made, ID))).isEqualTo(resumes);
  }

  private static Agent agent(String name) {
    return AgentCatalogue.of(AgentProfile.usual(AgentName.parse(name)), List.of(), 0);
  }

  private static AgentSession session(String agent, String id) {
    return new AgentSession(id, "r1", agent, "default", 1, Instant.EPOCH, TokenCount.NONE);
  }
}
