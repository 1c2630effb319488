package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Health;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A stream that has read every record is healthy, however far behind it was")
class StreamLagTest {
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
