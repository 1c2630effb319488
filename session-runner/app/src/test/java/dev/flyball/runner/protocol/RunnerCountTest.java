package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.runner;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunnerCountTest {
  private static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;
  private final RunnerCount runners =
      new RunnerCount(new LeaseNanos(TIMES, Fence.Rule.BEFORE_SEND), new SplittableRandom(1));

  @Test
  void aRunnerWithoutAnEntryForThreeHeartbeatsIsNotLive() {
    runners.read(runner("other"), 0);
    long heartbeat = TIMES.heartbeat().toNanos();
    runners.read(runner("self"), heartbeat);
    runners.read(runner("self"), 2 * heartbeat);

    assertThat(runners.size(3 * heartbeat, "self")).isEqualTo(2);
    runners.read(runner("self"), 3 * heartbeat);
    assertThat(runners.size(3 * heartbeat + 1, "self")).isEqualTo(1);
  }

  @Test
  void anOutageOfTheLogMakesNoRunnerDead() {
    runners.read(runner("other"), 0);
    long hour = Duration.ofHours(1).toNanos();

    assertThat(runners.size(hour, "self")).isEqualTo(2);
    runners.read(runner("self"), hour);
    assertThat(runners.size(hour, "self")).isEqualTo(2);
  }

  @Test
  @DisplayName("all runners find the same order, and another one for each key")
  void eachRankIsTakenOnce() {
    int all = 100;
    for (int n = 0; n < all; n++) {
      runners.read(runner("runner-" + n), 0);
    }
    var orders = new HashSet<List<Integer>>();
    for (String key : List.of("a", "b", "c")) {
      List<Integer> ranks =
          IntStream.range(0, all)
              .mapToObj(n -> runners.rank(0, key, "runner-" + n, any -> true))
              .toList();
      assertThat(new TreeSet<>(ranks)).hasSize(all).startsWith(0).endsWith(all - 1);
      orders.add(ranks);
    }
    assertThat(orders).hasSize(3);
  }

  @Test
  @DisplayName("what all have is known after three heartbeats, when each must have been heard")
  void allIsAnsweredOnceEachWasHeard() {
    long heartbeat = TIMES.heartbeat().toNanos();
    runners.read(runner("self"), 0);
    runners.read(runner("self"), heartbeat);

    assertThat(runners.all(2 * heartbeat, any -> true))
        .as("another may not be heard yet")
        .isFalse();
    runners.read(runner("other"), 2 * heartbeat);
    runners.read(runner("self"), 3 * heartbeat);
    assertThat(runners.all(3 * heartbeat, any -> true)).isTrue();
    assertThat(runners.all(3 * heartbeat, it -> it.id().equals("self"))).isFalse();
  }
}
