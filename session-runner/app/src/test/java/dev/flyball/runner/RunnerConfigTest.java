package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment;
import dev.flyball.runner.agent.AgentProgram;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunnerConfigTest {
  @Test
  void badValuesAreRefusedByTheirKeys() {
    assertThatThrownBy(() -> AgentProgram.parse("clod"))
        .hasMessageContaining("sessions.agent 'clod'")
        .hasMessageContaining("scout");
    assertThatThrownBy(() -> AgentProgram.parse("command:"))
        .hasMessageContaining("command:/path/to/program");
    assertThatThrownBy(() ->
            new RunnerConfig.Confinement(
                Containment.Level.A, Containment.Level.B, Optional.empty(), AgentNetwork.HOST))
        .hasMessageContaining("containment.maximum B")
        .hasMessageContaining("containment.minimum A");
    assertThatThrownBy(() -> RunnerConfig.defaults("a b", Path.of("r"), Path.of("d")))
        .hasMessageContaining("runner.id");
  }
}
