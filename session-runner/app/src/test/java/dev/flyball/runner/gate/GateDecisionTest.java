package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.gate.GateDecision.Kind;
import dev.flyball.runner.gate.GateDecision.Open;
import dev.flyball.runner.gate.GateDecision.Refused;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The local gate (S0-18, S0-39, S0-57, S4-13)")
class GateDecisionTest {
  private static final GateLimits LIMITS = GateLimits.DEFAULT;
  private static final long PLENTY = 4L << 30;

  @Test
  void anIdleMachineAcceptsUpToItsSlots() {
    assertThat(decide(readings(1, 0.5, PLENTY, 0, 0))).isInstanceOf(Open.class);
    assertThat(kind(readings(4, 0.5, PLENTY, 0, 0))).isEqualTo(Kind.SLOTS);
  }

  @Test
  void nothingStartsBeforeTheSweepHasEnded() {
    var now =
        new GateDecision.Readings(false, 0, 4, 0, 0, new GateDecision.Machine(0, 2, PLENTY, 0));

    assertThat(kind(now)).isEqualTo(Kind.SWEEPING);
  }

  @Test
  void loadFromFourFifthsOfTheProcessorsRefuses() {
    assertThat(decide(readings(1, 1.59, PLENTY, 0, 0))).isInstanceOf(Open.class);
    assertThat(kind(readings(1, 1.6, PLENTY, 0, 0))).isEqualTo(Kind.LOAD);
  }

  @Test
  void littleMemoryRefuses() {
    assertThat(kind(readings(1, 0, (512L << 20) - 1, 0, 0))).isEqualTo(Kind.MEMORY);
  }

  @Test
  void pressureAboveItsLimitRefuses() {
    assertThat(decide(readings(1, 0, PLENTY, 40, 0))).isInstanceOf(Open.class);
    assertThat(kind(readings(1, 0, PLENTY, 40.1, 0))).isEqualTo(Kind.PRESSURE);
  }

  @Test
  void twentyStrayProcessesRefuse() {
    assertThat(decide(readings(1, 0, PLENTY, 0, 19))).isInstanceOf(Open.class);
    assertThat(kind(readings(1, 0, PLENTY, 0, 20))).isEqualTo(Kind.STRAYS);
  }

  @Test
  @DisplayName("each session that a sweep could not end takes a slot away, also the last one")
  void unkillableSessionsTakeSlots() {
    var idle = new GateDecision.Machine(0, 2, PLENTY, 0);

    assertThat(decide(new GateDecision.Readings(true, 1, 4, 2, 0, idle))).isInstanceOf(Open.class);
    assertThat(kind(new GateDecision.Readings(true, 2, 4, 2, 0, idle))).isEqualTo(Kind.UNKILLABLE);
    assertThat(kind(new GateDecision.Readings(true, 0, 4, 4, 0, idle))).isEqualTo(Kind.UNKILLABLE);
    assertThat(kind(new GateDecision.Readings(true, 4, 4, 2, 0, idle))).isEqualTo(Kind.SLOTS);
  }

  @Test
  @DisplayName("a runner without a live session always lets one start, however busy the machine is")
  void aBusyMachineStillMakesProgress() {
    assertThat(decide(readings(0, 99, 0, 100, 500))).isInstanceOf(Open.class);
  }

  private static GateDecision.Readings readings(
      int live, double load, long memory, double pressure, int strays) {
    return new GateDecision.Readings(
        true, live, 4, 0, strays, new GateDecision.Machine(load, 2, memory, pressure));
  }

  private static GateDecision decide(GateDecision.Readings now) {
    return GateDecision.decide(LIMITS, now);
  }

  private static Kind kind(GateDecision.Readings now) {
    assertThat(decide(now)).isInstanceOf(Refused.class);
    return ((Refused) decide(now)).kind();
  }
}
