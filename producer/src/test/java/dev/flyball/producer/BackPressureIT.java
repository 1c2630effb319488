package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("S0-57, T9: above a backlog polls wait, one for each source at most")
class BackPressureIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @TempDir Path folder;
  private final DeltaTracker tracker = new DeltaTracker("acme", "web");

  @BeforeAll
  static void topics() {
    KAFKA.provision();
  }

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
        new ProducerApp(config(), KAFKA.settings(), new Telemetry(), true, (any, clock) -> tracker);
    app.start();
    try {
      KafkaFixture.await().until(() -> app.health().status() == Health.Status.DEGRADED);
      assertThat(app.health().reasons())
          .anyMatch(reason ->
              reason.contains(
                  "11 items of tenant acme wait for sessions or run, poll.backlog is 10"));
      assertThat(app.pollNow("acme/web")).as("on demand").isInstanceOf(PollReport.Finished.class);
      int asked = polls(EventType.POLL_STARTED);
      settled(0);
      KafkaFixture.await().until(() -> app.health().reasons().toString().contains("10 items of"));
      assertThat(polls(EventType.POLL_STARTED)).as("10 is not below 90 %").isEqualTo(asked);

      settled(1);
      settled(2);

      KafkaFixture.await().until(() -> polls(EventType.POLL_STARTED) > asked);
      KafkaFixture.await().until(() -> app.health().reasons().isEmpty());
      assertThat(polls(EventType.POLL_SKIPPED)).isEqualTo(1);
    } finally {
      app.stop();
    }
  }

  private static int polls(EventType type) {
    return (int) KAFKA.events().stream().map(LifecycleEvent::type).filter(type::equals).count();
  }

  private static void settled(int i) {
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), item(i), null);
  }

  /** An item of the source that is polled: those of other sources do not count for it. */
  private static String item(int i) {
    return "acme/web/waiting-" + i;
  }

  private ProducerConfig config() {
    var source =
        new SourceConfig.Jsonl(
            new SourceConfig.Identity("acme", "web", Duration.ofSeconds(1)),
            SourceRules.DEFAULT,
            Path.of("-"));
    return new ProducerConfig(
        folder,
        List.of(source),
        PollClocks.DEFAULT,
        BreakerLimits.DEFAULT,
        10,
        ProducerConfig.DEFAULT_TEXT_LIMIT,
        ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
  }
}
