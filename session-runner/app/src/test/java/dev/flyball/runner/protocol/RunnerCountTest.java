package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.SplittableRandom;
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

  private static LedgerEntry.Runner runner(String id) {
    return new LedgerEntry.Runner(id, 1, "A", 4, null, null);
  }
}
