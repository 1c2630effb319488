package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept of the open leases of a scope and of a runner is what counting them gives. */
class LeaseTotalsTest {
  private static final int ENTRIES = 1_500;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void keptTotalsAreThoseOfACount(long seed) {
    var random = new SplittableRandom(seed);
    LedgerState state =
        LedgerState.empty().fold(new LedgerEntry.Init(40, 1, List.of()), 0, NOON).state();
    int most = 0;
    for (int at = 1; at < ENTRIES; at++) {
      state = state.fold(entry(random, state, at), at, NOON.plusSeconds(at)).state();
      most = Math.max(most, state.live());
      if (at % 101 == 0) {
        state = LedgerState.restore(state.snapshot());
      }
      assertThat(kept(state)).as("seed %d entry %d", seed, at).isEqualTo(counted(state));
      assertThat(runners(state)).as("seed %d entry %d", seed, at).isEqualTo(countedRunners(state));
    }
    assertThat(most).as("seed %d", seed).isGreaterThan(15);
  }

  private static Map<String, Leases.Total> kept(LedgerState state) {
    Map<String, Leases.Total> kept = new HashMap<>();
    state.parts().leases().byScope().forEach(kept::put);
    return kept;
  }

  private static Map<String, Leases.Total> counted(LedgerState state) {
    Map<String, Leases.Total> counted = new HashMap<>();
    for (Lease lease : state.leases()) {
      long left = Math.max(0, lease.reserve() - lease.costMicros());
      for (String scope : Scope.of(lease.item(), lease.provider())) {
        Leases.Total sum = counted.getOrDefault(scope, Leases.Total.ZERO);
        counted.put(scope, new Leases.Total(sum.open() + 1, sum.reserved() + left));
      }
    }
    return counted;
  }

  private static Map<String, Integer> runners(LedgerState state) {
    Map<String, Integer> kept = new HashMap<>();
    state.parts().leases().byRunner().forEach(kept::put);
    return kept;
  }

  private static Map<String, Integer> countedRunners(LedgerState state) {
    Map<String, Integer> counted = new HashMap<>();
    state.leases().forEach(lease -> counted.merge(lease.runner(), 1, Integer::sum));
    return counted;
  }

  private static LedgerEntry entry(SplittableRandom random, LedgerState state, int at) {
    List<Lease> open = List.copyOf(state.leases());
    if (open.isEmpty() || random.nextInt(5) < 2) {
      return claim(random, at);
    }
    Lease one = open.get(random.nextInt(open.size()));
    Lease other = open.get(random.nextInt(open.size()));
    return switch (random.nextInt(6)) {
      case 0 -> new LedgerEntry.Expire(one.session(), one.seen() - random.nextInt(2));
      case 1 -> release(one.session(), Outcome.LOST, random);
      case 2 -> release(one.session(), Outcome.COMPLETED, random);
      case 3 -> release("s" + random.nextInt(at), Outcome.FAILED, random);
      default ->
          new LedgerEntry.Renew(
              at, List.of(usage(one, random), usage(other, random), usage(one, random)));
    };
  }

  /** More than the reserve, too, and less than the time before. */
  private static LedgerEntry.Usage usage(Lease lease, SplittableRandom random) {
    return new LedgerEntry.Usage(lease.session(), random.nextInt(9), random.nextInt(1_500));
  }

  private static LedgerEntry.Claim claim(SplittableRandom random, int at) {
    var item =
        new ItemKey("t" + random.nextInt(3), "s" + random.nextInt(2), "" + random.nextInt(300));
    return new LedgerEntry.Claim(
        "q" + random.nextInt(400),
        new Position(0, at),
        at + 1L,
        item,
        1,
        "s" + at,
        "r" + random.nextInt(4),
        random.nextInt(3) == 0 ? null : "p" + random.nextInt(2),
        LedgerState.RULES,
        random.nextInt(1_000));
  }

  private static LedgerEntry.Release release(
      String session, Outcome outcome, SplittableRandom random) {
    return new LedgerEntry.Release(
        session,
        outcome,
        null,
        null,
        0,
        null,
        Timings.ZERO,
        0,
        random.nextInt(1_500),
        random.nextBoolean() ? Receipt.notStarted() : Receipt.unknown(),
        null);
  }
}
