package dev.flyball.runner.agent;

import dev.flyball.runner.agent.AgentProgram.Setup;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The real qwen, contained, against an endpoint of ours")
class QwenCliIT extends ChatAgent {
  @Override
  Agent agent() {
    return new Qwen("some-model").session(Setup.DEFAULT);
  }

  @Override
  String shell() {
    return "run_shell_command";
  }

  @Override
  Map<String, String> environment() {
    return Map.of("OPENAI_API_KEY", "no-key-at-all", "OPENAI_BASE_URL", endpoint.url() + "/v1");
  }
}
