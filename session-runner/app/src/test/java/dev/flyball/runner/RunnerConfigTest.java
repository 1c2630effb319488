package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.session.SessionLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunnerConfigTest {
  private static final RunnerConfig DEFAULTS =
      RunnerConfig.defaults("r1", Path.of("repo"), Path.of("data"));

  @Test
  void theDefaultsAreTheDocumentedOnes() {
    assertThat(DEFAULTS.cap()).isEqualTo(3);
    assertThat(DEFAULTS.slots()).isEqualTo(4);
    assertThat(DEFAULTS.agent()).isEqualTo(new AgentName.Scout());
    assertThat(DEFAULTS.drain()).isZero();
    assertThat(DEFAULTS.confinement().minimum()).isEqualTo(Containment.Level.B);
    assertThat(DEFAULTS.confinement().maximum()).isEqualTo(Containment.Level.A_PLUS);
    assertThat(DEFAULTS.clocks().lease()).isEqualTo(Duration.ofSeconds(45));
    assertThat(DEFAULTS.clocks().late()).isEqualTo(Duration.ofSeconds(5));
    assertThat(DEFAULTS.session().wallClock()).isEqualTo(Duration.ofMinutes(10));
    assertThat(DEFAULTS.session().grace()).isEqualTo(Duration.ofSeconds(5));
    assertThat(DEFAULTS.gate()).isEqualTo(new GateLimits(0.8, 512L << 20, 40, 10, 20));
  }

  @Test
  void badValuesAreRefusedByTheirKeys() {
    assertThatThrownBy(() -> DEFAULTS.withCap(-1, 4)).hasMessageContaining("cap -1");
    assertThatThrownBy(() -> DEFAULTS.withCap(1, 0)).hasMessageContaining("sessions.slots 0");
    assertThatThrownBy(() -> AgentName.parse("clod"))
        .hasMessageContaining("sessions.agent 'clod'")
        .hasMessageContaining("scout");
    assertThatThrownBy(() -> AgentName.parse("command:"))
        .hasMessageContaining("command:/path/to/program");
    assertThatThrownBy(() -> SessionLimits.DEFAULT.withWallClock(Duration.ZERO))
        .hasMessageContaining("sessions.wall-clock");
    assertThatThrownBy(() ->
            new RunnerConfig.Clocks(
                Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(5)))
        .hasMessageContaining("ledger.lease");
    assertThatThrownBy(() ->
            new RunnerConfig.Confinement(
                Containment.Level.A, Containment.Level.B, Optional.empty(), AgentNetwork.HOST))
        .hasMessageContaining("containment.maximum B")
        .hasMessageContaining("containment.minimum A");
    assertThatThrownBy(() -> new GateLimits(0, 1, 40, 10, 20)).hasMessageContaining("gate.load");
    assertThatThrownBy(() -> RunnerConfig.defaults("a b", Path.of("r"), Path.of("d")))
        .hasMessageContaining("runner.id");
  }
}
