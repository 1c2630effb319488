package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.runner.gate.GateDecision;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.gate.MachineReadings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GateKeeperTest {
  private static final int SLOTS = 2;

  private final AtomicInteger hanging = new AtomicInteger();
  private final List<Optional<String>> said = new ArrayList<>();
  private final GateKeeper gate =
      new GateKeeper(GateLimits.DEFAULT, SLOTS, new MachineReadings(), hanging::get, said::add);

  @Test
  void asManyHungStartsAsSlotsShutTheGateUntilOneReturns() {
    gate.swept(0);
    assertThat(gate.decide(0)).isInstanceOf(GateDecision.Open.class);

    hanging.set(SLOTS - 1);
    assertThat(gate.decide(0)).isInstanceOf(GateDecision.Open.class);
    assertThat(gate.startTrouble()).as("in health from the first on").isNotNull();

    hanging.set(SLOTS);
    assertThat(gate.decide(0))
        .isInstanceOfSatisfying(
            GateDecision.Refused.class,
            refused -> assertThat(refused.kind()).isEqualTo(GateDecision.Kind.STARTS));
    assertThat(said).last().satisfies(reason -> assertThat(reason).isPresent());

    hanging.set(0);
    assertThat(gate.decide(0)).isInstanceOf(GateDecision.Open.class);
    assertThat(gate.startTrouble()).isNull();
  }
}
