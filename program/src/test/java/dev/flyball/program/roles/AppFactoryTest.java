package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.Topics;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.runner.agent.AgentCatalogue;
import dev.flyball.runner.agent.AgentProfile;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The rights that a role needs are checked before it reads or claims anything")
final class AppFactoryTest {
  private static final Topics TOPICS = Topics.DEFAULT;

  @Test
  @DisplayName("triage writes the ledger where a model judges: verdicts are paid")
  void triageWithAModelWritesTheLedger() {
    var model =
        new ConfiguredClassifier.ByAgent(
            AgentProfile.usual(AgentCatalogue.parse("claude")), Duration.ofMinutes(2), 100_000);

    assertThat(AppFactory.written(Role.TRIAGE, TOPICS, model))
        .containsExactly(TOPICS.sessionRequests(), TOPICS.sessionLedger());
    assertThat(written(Role.TRIAGE)).containsExactly(TOPICS.sessionRequests());
  }

  @Test
  @DisplayName("each other role asks for what it could not do without")
  void everyRoleAsksForWhatItWrites() {
    assertThat(written(Role.PRODUCER)).containsExactly(TOPICS.workItems());
    assertThat(written(Role.RUNNER)).containsExactly(TOPICS.sessionLedger());
    assertThat(written(Role.CONSOLE)).containsExactly(TOPICS.deadLetters(), TOPICS.metrics());
  }

  private static List<String> written(Role role) {
    return AppFactory.written(role, TOPICS, new ConfiguredClassifier.Rules());
  }
}
