package dev.flyball.runner.protocol.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A simulation that never fails proves nothing: each wrong rule must break an invariant. */
class MutationsTest {
  /** The rarest wrong rule is noticed by 1 schedule of 2,200 (27 of 60,000). */
  private static final int FULL_BUDGET = 50_000;

  /** Those that many schedules notice; the rarer ones have the full budget in the long run. */
  @ParameterizedTest
  @EnumSource(
      value = Mutation.class,
      names = {
        "RELEASES_BEFORE_THE_TREE_IS_DEAD",
        "RENEWAL_STOPS_AT_THE_KILL",
        "RESTARTED_WITNESS_DOES_NOT_WAIT",
        "COPIED_FOLDER_RELEASES",
        "NO_DEADMAN",
        "EXPIRIES_BOOK_NOTHING",
        "SWEEPS_BOOK_NOTHING",
        "CLAIMS_RESERVE_NOTHING"
      })
  void aGrosslyWrongRuleIsNoticedInAFewHundredSchedules(Mutation mutation) {
    noticed(mutation, 1_000);
  }

  @ParameterizedTest
  @EnumSource(value = Mutation.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @Tag("long")
  void everyWrongRuleIsNoticedWithinTheFullBudget(Mutation mutation) {
    noticed(mutation, FULL_BUDGET);
  }

  /** Which of many schedules notices it first is left to chance, so all processors search. */
  private static void noticed(Mutation mutation, int budget) {
    long first = ThreadLocalRandom.current().nextLong();
    Noticed noticed =
        IntStream.range(0, budget)
            .parallel()
            .mapToObj(i -> violation(first + i, mutation))
            .flatMap(Optional::stream)
            .findAny()
            .orElseThrow(() ->
                new AssertionError(
                    mutation + " unnoticed in " + budget + " schedules from seed " + first));

    System.out.println("simulation: " + mutation + " noticed by seed " + noticed);
    // A missing deadman breaks INV-5 by itself; every other rule must show as one of its own.
    // A wrong rule about money breaks INV-8 only.
    String own =
        mutation.ofMoney()
            ? "INV-8: .*"
            : mutation == Mutation.NO_DEADMAN ? "INV-(1|2|5|6): .*" : "INV-(1|2|6): .*";
    assertThat(noticed.violation).as("%s, seed %d", mutation, noticed.seed).hasMessageMatching(own);
  }

  private static Optional<Noticed> violation(long seed, Mutation mutation) {
    try {
      Schedule.run(seed, mutation);
      return Optional.empty();
    } catch (Violation violation) {
      return Optional.of(new Noticed(seed, violation));
    }
  }

  private record Noticed(long seed, Violation violation) {}
}
