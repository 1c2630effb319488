package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Scout;
import dev.flyball.runner.gate.GateLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunnerConfigTest {
  private static final RunnerConfig DEFAULTS =
      RunnerConfig.defaults("r1", Path.of("repo"), Path.of("data"));

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    assertThat(DEFAULTS.ledger().cap()).isEqualTo(3);
    assertThat(DEFAULTS.slots().count()).isEqualTo(4);
    assertThat(DEFAULTS.agents().profiles()).containsExactly(AgentProfile.usual(new Scout()));
    assertThat(DEFAULTS.slots().drain()).isZero();
    assertThat(DEFAULTS.agents().confinement().minimum()).isEqualTo(Containment.Level.B);
    assertThat(DEFAULTS.agents().confinement().maximum()).isEqualTo(Containment.Level.A_PLUS);
    assertThat(DEFAULTS.ledger().clocks().lease()).isEqualTo(Duration.ofSeconds(45));
    assertThat(DEFAULTS.session().wallClock()).isEqualTo(Duration.ofMinutes(10));
    assertThat(DEFAULTS.session().grace()).isEqualTo(Duration.ofSeconds(5));
    assertThat(DEFAULTS.gate()).isEqualTo(new GateLimits(0.8, 512L << 20, 40));
  }

  @Test
  void badValuesAreRefusedByTheirKeys() {
    assertThatThrownBy(() -> AgentProgram.parse("clod"))
        .hasMessageContaining("sessions.agent 'clod'")
        .hasMessageContaining("scout");
    assertThatThrownBy(() -> AgentProgram.parse("command:"))
        .hasMessageContaining("command:/path/to/program");
    assertThatThrownBy(() ->
            new RunnerConfig.Clocks(
                Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(5)))
        .hasMessageContaining("ledger.lease");
    assertThatThrownBy(() ->
            new RunnerConfig.Confinement(
                Containment.Level.A, Containment.Level.B, Optional.empty(), AgentNetwork.HOST))
        .hasMessageContaining("containment.maximum B")
        .hasMessageContaining("containment.minimum A");
    assertThatThrownBy(() -> RunnerConfig.defaults("a b", Path.of("r"), Path.of("d")))
        .hasMessageContaining("runner.id");
  }
}
