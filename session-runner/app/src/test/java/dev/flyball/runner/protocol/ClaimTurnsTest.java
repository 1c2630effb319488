package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimTurnsTest {
  private static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;
  private static final long HERD = TIMES.herd().toNanos();
  private static final ItemKey ITEM = ItemKey.parse("acme/web/1");
  private final LeaseNanos nanos = new LeaseNanos(TIMES, Fence.Rule.BEFORE_SEND);
  private final RunnerCount runners = new RunnerCount(nanos, new SplittableRandom(1));

  @Test
  @DisplayName("a session of another runner's is left to it for a moment, if it can take it")
  void theHomeOfASessionGoesFirst() {
    runners.read(runner("home", null, null), 0);
    runners.read(runner("shut", "load", null), 0);

    assertThat(delay("self", "default", "home")).isGreaterThan(TIMES.stagger().toNanos() + HERD);
    assertThat(delay("home", "default", "home")).as("the home itself").isLessThanOrEqualTo(HERD);
    assertThat(delay("self", "default", null)).as("a fresh session").isLessThanOrEqualTo(HERD);
    assertThat(delay("self", "default", "shut")).as("it refuses").isLessThanOrEqualTo(HERD);
    assertThat(delay("self", "default", "gone")).as("it is dead").isLessThanOrEqualTo(HERD);
  }

  @Test
  @DisplayName("of an item to be left to all others, this runner's turn comes after theirs")
  void allOthersGoFirst() {
    var turns = new ClaimTurns(nanos, runners);
    turns.begin(LedgerState.empty(), "self", 0);
    assertThat(turns.mayClaim(ITEM, "default", id -> !id.equals("self"))).as("alone").isTrue();

    runners.read(runner("another", null, null), 0);
    turns.forget();
    turns.begin(LedgerState.empty(), "self", 0);

    assertThat(turns.mayClaim(ITEM, "default", id -> !id.equals("self"))).isFalse();
    assertThat(turns.next()).isGreaterThan(TIMES.stagger().toNanos() + HERD);
  }

  @Test
  @DisplayName("runners without the agent, or that decline a source, delay its items for no other")
  void onlyRunnersThatCouldClaimTakeTurns() {
    var declines = new LedgerEntry.Decline(null, ITEM.sourceKey(), "repository", "no folder");
    for (int n = 0; n < 50; n++) {
      runners.read(runner("r" + n, null, List.of("fast")), 0);
      runners.read(
          new LedgerEntry.Runner("d" + n, 1, "A", 4, null, null, List.of(declines), null), 0);
    }

    assertThat(delay("self", "strong", null)).isZero();
    assertThat(delay("self", "fast", null)).isPositive();
  }

  @Test
  @DisplayName("a request that could not be claimed for a while begins its turns again")
  void whatWasNotFoundIsForgotten() {
    for (int n = 0; n < 50; n++) {
      runners.read(runner("r" + n, null, null), 0);
    }
    var turns = new ClaimTurns(nanos, runners);
    long delay = delay("self", "default", null);
    assertThat(delay).isPositive();
    assertThat(asked(turns, 0)).isFalse();
    assertThat(asked(turns, delay - 1)).isFalse();
    assertThat(asked(turns, delay)).isTrue();

    turns.begin(LedgerState.empty(), "self", delay + 1);
    long again = delay + 2;
    assertThat(asked(turns, again)).isFalse();
    assertThat(turns.next()).isEqualTo(again + delay);
  }

  private static boolean asked(ClaimTurns turns, long now) {
    turns.begin(LedgerState.empty(), "self", now);
    return turns.mayClaim(ITEM, "default", _ -> false);
  }

  private long delay(String self, String profile, @Nullable String home) {
    var turns = new ClaimTurns(nanos, runners);
    turns.begin(LedgerState.empty(), self, 0);
    return turns.mayClaim(ITEM, profile, id -> id.equals(home)) ? 0 : turns.next();
  }

  private static LedgerEntry.Runner runner(
      String id, @Nullable String refusing, @Nullable List<String> profiles) {
    return new LedgerEntry.Runner(id, 1, "A", 4, refusing, profiles, null, null);
  }
}
