package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunnerCountTest {
  private static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;
  private final RunnerCount runners =
      new RunnerCount(new LeaseNanos(TIMES, Fence.Rule.BEFORE_SEND), new SplittableRandom(1));

  @Test
  void aRunnerWithoutAnEntryForThreeHeartbeatsIsNotLive() {
    runners.read(runner("other"), 0);
    long silent = 3 * TIMES.heartbeat().toNanos();

    assertThat(runners.size(silent, "self")).isEqualTo(2);
    assertThat(runners.size(silent + 1, "self")).isEqualTo(1);
  }

  @Test
  void aRunnerCountsItselfOnce() {
    assertThat(runners.size(0, "self")).isEqualTo(1);
    runners.read(runner("self"), 0);

    assertThat(runners.size(0, "self")).isEqualTo(1);
  }

  @Test
  @DisplayName("a session of another runner's is left to it for a moment, if it can take it")
  void theHomeOfASessionGoesFirst() {
    runners.read(runner("home"), 0);
    runners.read(new LedgerEntry.Runner("shut", 1, "A", 4, "load", null), 0);
    long most = TIMES.herd().toNanos() * 2;

    assertThat(delay("self", "home")).isGreaterThan(most + TIMES.stagger().toNanos());
    assertThat(delay("home", "home")).as("the home itself").isLessThan(most);
    assertThat(delay("self", null)).as("a fresh session").isLessThan(most);
    assertThat(delay("self", "shut")).as("it refuses").isLessThan(most);
    assertThat(delay("self", "gone")).as("no such runner lives").isLessThan(most);
  }

  private long delay(String self, @Nullable String home) {
    return runners.claimDelay(0, self, home, LedgerState.empty());
  }

  private static LedgerEntry.Runner runner(String id) {
    return new LedgerEntry.Runner(id, 1, "A", 4, null, null);
  }
}
