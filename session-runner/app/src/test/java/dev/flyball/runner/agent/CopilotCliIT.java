package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.agent.AgentProgram.Setup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The real copilot, contained, against an endpoint of ours")
class CopilotCliIT extends ChatAgent {
  /** The program unpacks itself there once. */
  @TempDir static Path unpacked;

  @Override
  Agent agent() {
    return new Copilot("some-model").session(Setup.DEFAULT);
  }

  @Override
  String shell() {
    return "bash";
  }

  @Override
  Map<String, String> environment() {
    return Map.of(
        "COPILOT_CACHE_HOME",
        unpacked.toString(),
        "COPILOT_OFFLINE",
        "true",
        "COPILOT_PROVIDER_BASE_URL",
        endpoint.url() + "/v1",
        "COPILOT_PROVIDER_API_KEY",
        "no-key-at-all");
  }

  @Test
  @DisplayName("the hostile repository is one: what its user trusts, the program obeys")
  void aTrustedRepositoryIsObeyed() throws IOException {
    HostileRepository hostile = HostileRepository.in(place.repository());
    endpoint.otherwise(_ -> says("done"));

    Agent trusting = asked().withArguments(List.of("--trust-folder"));
    try (var session = place.start(trusting, environment())) {
      assertThat(session.answer().text()).isEqualTo("done");
    }
    assertThat(hostile.marks()).isNotEmptyDirectory();
  }

  @Test
  void aQuestionIsAnsweredWithoutAnyTool() {
    endpoint.otherwise(_ -> says("{}"));

    try (var session = place.start(asked(), environment())) {
      assertThat(session.answer().text()).isEqualTo("{}");
    }
    assertThat(endpoint.requests()).singleElement().asString().doesNotContain("\"tools\":[{");
  }

  private static Agent asked() {
    return new Copilot("some-model").oneAnswer("{}", 0).orElseThrow();
  }
}
