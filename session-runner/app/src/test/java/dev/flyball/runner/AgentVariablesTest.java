package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentCatalogue;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.events.Redactor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What of our environment agents get, and what must not come back")
class AgentVariablesTest {
  private static final Map<String, String> OURS =
      Map.of(
          "PATH", "/usr/bin",
          "LC_ALL", "C.UTF-8",
          "ANTHROPIC_API_KEY", "an-odd-key-of-no-known-form",
          "ANTHROPIC_BASE_URL", "https://gateway.example.org",
          "NO_PROXY", "localhost",
          "DATABASE_PASSWORD", "correct-horse",
          "MY_SETTING", "battery-staple",
          "CLAUDE_CODE_MAX_RETRIES", "9");
  private static final Agent CLAUDE =
      AgentCatalogue.of(AgentProfile.usual(new AgentName.Claude(null)), List.of(), 0);

  @Test
  void anAdapterNamesWhatItInheritsAndWhatItSets() {
    Map<String, String> claude = AgentVariables.of(OURS, CLAUDE, List.of());

    assertThat(claude)
        .containsEntry("ANTHROPIC_API_KEY", "an-odd-key-of-no-known-form")
        .containsEntry("CLAUDE_CODE_MAX_RETRIES", "3")
        .containsKeys("PATH", "LC_ALL", "ANTHROPIC_BASE_URL")
        .doesNotContainKeys("DATABASE_PASSWORD", "MY_SETTING");
    assertThat(AgentVariables.of(OURS, AgentCatalogue.command("x"), List.of()))
        .containsOnlyKeys("PATH", "LC_ALL");
  }

  @Test
  void aVariableThatTheOperatorNamesWins() {
    assertThat(AgentVariables.of(OURS, CLAUDE, List.of("CLAUDE_CODE_MAX_RETRIES", "MY_SETTING")))
        .containsEntry("CLAUDE_CODE_MAX_RETRIES", "9")
        .containsEntry("MY_SETTING", "battery-staple");
  }

  @Test
  @DisplayName("the values of what is handed over never leave: the key's, whatever its form")
  void handedOverValuesAreSecrets() {
    var redactor = new Redactor(AgentVariables.secrets(OURS, CLAUDE, List.of("MY_SETTING")));

    assertThat(
            redactor.redact(
                "an-odd-key-of-no-known-form battery-staple correct-horse localhost"
                    + " https://gateway.example.org"))
        .isEqualTo("[redacted] [redacted] [redacted] localhost https://gateway.example.org");
  }
}
