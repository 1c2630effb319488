package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.Collections;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
@DisplayName("S0-57, T9: above a backlog polls wait, one for each source at most")
class BackPressureIT extends PollFixture {
  @Test
  void aDuePollWaitsForSessionsAndIsReportedOnce() {
    for (int i = 0; i < 11; i++) {
      KAFKA.produce(
          KAFKA.topics().sessionRequests(),
          item(i),
          Sample.request("request-" + i, Instant.EPOCH, Sample.snapshot()));
    }
    tracker.put("1", "one", Instant.now());
    ProducerApp app =
        start(
            config(
                "data",
                file(),
                BreakerLimits.DEFAULT,
                10,
                ProducerConfig.DEFAULT_FINGERPRINT_FIELDS),
            true);
    KafkaFixture.await().until(() -> app.health().status() == Health.Status.DEGRADED);
    assertThat(app.health().reasons())
        .anyMatch(reason ->
            reason.contains(
                "11 items of tenant " + tenant + " wait for sessions or run, poll.backlog is 10"));
    assertThat(app.pollNow(key)).as("on demand").isInstanceOf(PollReport.Finished.class);
    int asked = polls(EventType.POLL_STARTED);
    settled(0);
    KafkaFixture.await().until(() -> app.health().reasons().toString().contains("10 items of"));
    assertThat(polls(EventType.POLL_STARTED)).as("10 is not below 90 %").isEqualTo(asked);

    settled(1);
    settled(2);

    KafkaFixture.await().until(() -> polls(EventType.POLL_STARTED) > asked);
    KafkaFixture.await().until(() -> app.health().reasons().isEmpty());
    assertThat(polls(EventType.POLL_SKIPPED)).isEqualTo(1);
  }

  private int polls(EventType type) {
    return Collections.frequency(events(), type);
  }

  private void settled(int i) {
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), item(i), null);
  }

  /** An item of the source that is polled: those of other sources do not count for it. */
  private String item(int i) {
    return key + "/waiting-" + i;
  }
}
