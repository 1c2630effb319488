package dev.flyball.ops.console.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.flyball.contract.metric.MetricWindow.Quantiles;
import dev.flyball.ops.console.metrics.WindowCount.Durations;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DurationsTest {
  @Test
  void noDurationsHaveNoQuantiles() {
    assertThat(Durations.NONE.quantiles()).isNull();
  }

  @Test
  void oneDurationIsEachOfItsQuantiles() {
    assertThat(Durations.NONE.plus(0).quantiles()).isEqualTo(new Quantiles(1, 0, 0, 0, 0));
    assertThat(Durations.NONE.plus(-5).quantiles()).isEqualTo(new Quantiles(1, 0, 0, 0, 0));
    assertThat(Durations.NONE.plus(1).quantiles()).isEqualTo(new Quantiles(1, 1, 1, 1, 1));
  }

  @Test
  void everyQuantileIsWithinFivePercent() {
    long seed = Long.getLong("seed", new Random().nextLong());
    var random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      // From milliseconds to days, in another distribution each time.
      double scale = random.nextDouble(20);
      long[] all =
          LongStream.range(0, 1 + random.nextInt(1_500))
              .map(i -> (long) Math.exp(random.nextDouble() * scale))
              .sorted()
              .toArray();
      Durations durations = Durations.NONE;
      for (long each : all) {
        durations = durations.plus(each);
      }
      Quantiles found = Objects.requireNonNull(durations.quantiles());
      near(found.p50(), all, 0.5, seed);
      near(found.p95(), all, 0.95, seed);
      near(found.p99(), all, 0.99, seed);
      assertThat(found.max()).as("seed %d", seed).isEqualTo(all[all.length - 1]);
      assertThat(found.count()).as("seed %d", seed).isEqualTo(all.length);
    }
  }

  @Test
  void twoSumsAreTheSumOfAllTheirDurations() {
    Durations one = Durations.NONE.plus(10).plus(900);
    Durations two = Durations.NONE.plus(70_000).plus(11);

    assertThat(one.plus(two)).isEqualTo(Durations.NONE.plus(11).plus(70_000).plus(900).plus(10));
  }

  @Test
  void thereIsALimitToTheBuckets() {
    Durations durations = Durations.NONE;
    for (double each = 0.5; each < 1e18; each *= 1.01) {
      durations = durations.plus((long) each);
    }
    assertThat(durations.buckets()).hasSizeLessThan(600);
  }

  private static void near(long found, long[] sorted, double share, long seed) {
    long exact = sorted[(int) Math.ceil(share * sorted.length) - 1];
    assertThat((double) found)
        .as("%s of %d, seed %d", share, sorted.length, seed)
        .isCloseTo((double) exact, within(0.05 * exact));
  }
}
