package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

/** When it is behind, and how long a thread that died waits for the next one. */
class StreamServiceTest {
  private final StreamService.ThreadDeaths deaths = new StreamService.ThreadDeaths();
  private long nowNanos;

  @Test
  void oneThatCaughtUpIsHealthyThoughItWasBehindWithinTheLastMinute() {
    assertThat(StreamService.lagging(List.of(metric("records-lag-max", 20_000), lag(0))))
        .isEqualTo(Health.healthy());
  }

  @Test
  void oneThatIsFarBehindInOnePartitionIsDegraded() {
    assertThat(StreamService.lagging(List.of(lag(0), lag(10_001))).status())
        .isEqualTo(Health.Status.DEGRADED);
  }

  @Test
  void aLagThatIsNotKnownYetSaysNothing() {
    assertThat(StreamService.lagging(List.of(lag(Double.NaN)))).isEqualTo(Health.healthy());
  }

  @Test
  void thePauseDoublesWithEachDeathInARowUpToTenSeconds() {
    long[] pauses = new long[40];
    for (int i = 0; i < pauses.length; i++) {
      pauses[i] = diedAfter(Duration.ofMinutes(9));
    }

    assertThat(pauses).startsWith(200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000);
    assertThat(pauses).endsWith(10_000);
    assertThat(deaths.row()).isEqualTo(40);
  }

  @Test
  void aThreadThatLivedForLongBeginsANewRow() {
    for (int month = 0; month < 40; month++) {
      assertThat(diedAfter(Duration.ofDays(30))).isEqualTo(200);
    }
    assertThat(deaths.row()).isOne();
    assertThat(diedAfter(Duration.ofSeconds(1))).isEqualTo(400);
  }

  private long diedAfter(Duration life) {
    nowNanos += life.toNanos();
    return deaths.died(nowNanos);
  }

  private static Metric lag(double value) {
    return metric("records-lag", value);
  }

  private static Metric metric(String name, double value) {
    var id = new MetricName(name, "consumer-fetch-manager-metrics", "", Map.of());
    return new Metric() {
      @Override
      public MetricName metricName() {
        return id;
      }

      @Override
      public Object metricValue() {
        return value;
      }
    };
  }
}
