package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.runner.gate.GateDecision.Kind;
import dev.flyball.runner.gate.GateDecision.Open;
import dev.flyball.runner.gate.GateDecision.Refused;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The local gate (S0-18, S0-39, S0-57, S4-13)")
class GateDecisionTest {
  private static final GateLimits LIMITS = GateLimits.DEFAULT;
  private static final long PLENTY = 4L << 30;

  @ParameterizedTest(name = "{0} sessions, load {1}, {2} bytes, pressure {3}, {4} strays: {5}")
  @CsvSource({
    "1,  0.5, 4294967296,    0,   0, OPEN",
    "4,  0.5, 4294967296,    0,   0, SLOTS",
    "1, 1.59, 4294967296,    0,   0, OPEN",
    "1,  1.6, 4294967296,    0,   0, LOAD",
    "1,    0,  536870911,    0,   0, MEMORY",
    "1,    0, 4294967296,   40,   0, OPEN",
    "1,    0, 4294967296, 40.1,   0, PRESSURE",
    "1,    0, 4294967296,    0,  19, OPEN",
    "1,    0, 4294967296,    0,  20, STRAYS",
    "0,   99,          0,  100, 500, OPEN",
  })
  @DisplayName("each reading has its limit; a runner without a live session always lets one start")
  void eachReadingHasItsLimit(
      int live, double load, long memory, double pressure, int strays, String decision) {
    var machine = new GateDecision.Machine(load, 2, memory, pressure);

    GateDecision found = decide(new GateDecision.Readings(true, live, 4, 0, strays, machine));

    assertThat(found instanceof Refused refused ? refused.kind().name() : "OPEN")
        .isEqualTo(decision);
  }

  @Test
  void nothingStartsBeforeTheSweepHasEnded() {
    var now =
        new GateDecision.Readings(false, 0, 4, 0, 0, new GateDecision.Machine(0, 2, PLENTY, 0));

    assertThat(kind(now)).isEqualTo(Kind.SWEEPING);
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

  @ParameterizedTest
  @CsvSource({
    "0, 0, 40, gate.load",
    "NaN, 0, 40, gate.load",
    "1, -1, 40, gate.memory",
    "1, 0, 0, gate.pressure",
    "1, 0, 101, gate.pressure",
  })
  void aLimitOutOfBoundsIsRejectedByName(double load, long memory, int pressure, String key) {
    assertThatThrownBy(() -> new GateLimits(load, memory, pressure))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + " ");
  }

  private static GateDecision decide(GateDecision.Readings now) {
    return GateDecision.decide(LIMITS, now);
  }

  private static Kind kind(GateDecision.Readings now) {
    assertThat(decide(now)).isInstanceOf(Refused.class);
    return ((Refused) decide(now)).kind();
  }
}
