package dev.flyball.runner.protocol.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * INV-1, INV-2, INV-5, INV-6 and INV-8 through everything that {@link Fault} names. A failure
 * prints its seed; the same schedule again: {@code -Dsimulation.seed=N}. The full run: {@code
 * ./mvnw -pl session-runner/app -am test -Plong-proofs -Dtest=SimulationTest
 * -Dsimulation.schedules=10000}.
 */
class SimulationTest {
  private static final int MANY = Integer.getInteger("simulation.schedules", 2_000);

  @Test
  void aTenthOfTheSchedulesHoldsTheInvariantsInEveryRun() {
    Long given = Long.getLong("simulation.seed");
    if (given != null) {
      System.out.println(Schedule.story(given, Mutation.NONE));
      Schedule.run(given, Mutation.NONE);
      return;
    }
    schedules(ThreadLocalRandom.current().nextLong(), MANY / 10);
  }

  @Test
  @Tag("long")
  void manySchedulesHoldTheInvariantsAndEachFaultHappensOnceInTen() {
    Map<Fault, Integer> faults = schedules(ThreadLocalRandom.current().nextLong(), MANY);

    assertThat(faults).containsOnlyKeys(Fault.values());
    assertThat(faults).allSatisfy((fault, count) -> assertThat(count).isGreaterThan(MANY / 10 - 1));
  }

  /** On all processors: each schedule is a world that knows nothing of the others. */
  private static Map<Fault, Integer> schedules(long first, int count) {
    System.out.println("simulation: " + count + " schedules from seed " + first);
    Map<Fault, Integer> faults =
        IntStream.range(0, count)
            .parallel()
            .mapToObj(i -> held(first + i))
            .collect(() -> new EnumMap<>(Fault.class), SimulationTest::add, SimulationTest::add);
    System.out.println("simulation: faults " + faults);
    return faults;
  }

  private static Map<Fault, Integer> held(long seed) {
    try {
      return Schedule.run(seed, Mutation.NONE);
    } catch (RuntimeException broken) {
      throw new AssertionError(
          broken.getMessage() + "; replay: -Dtest=SimulationTest -Dsimulation.seed=" + seed,
          broken);
    }
  }

  private static void add(Map<Fault, Integer> all, Map<Fault, Integer> more) {
    more.forEach((fault, n) -> all.merge(fault, n, Integer::sum));
  }
}
