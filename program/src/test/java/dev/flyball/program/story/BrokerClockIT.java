package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.topic.Topics;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No wall clock decides a lease: the broker's clock is stepped by an hour, forth and back, under
 * live sessions.
 */
@Tag("long")
final class BrokerClockIT {
  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      sleep 12
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void nothingChangesWhenTheBrokersClockStepsByAnHour(@TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    for (int i = 0; i < 3; i++) {
      place.add(i, 1);
    }
    var clock = SteppedClock.in(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"), clock.environment());
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), 3, Workplace.SCALED);
      cluster.start(2);
      Cluster.awaitLive(sampler, 3);
      clock.step(Duration.ofHours(1));
      awaitAppendTimeJump(broker.bootstrapServers(), Duration.ofMinutes(50));
      clock.step(Duration.ZERO);
      LedgerAudit audit = cluster.awaitSettled(3, Duration.ofMinutes(3));
      assertThat(audit.claims).as("nothing is claimed twice").hasSize(3);
      assertThat(audit.ends.values()).noneMatch(end -> end instanceof Effect.Expired);
      assertThat(audit.count(EventType.SESSION_COMPLETED)).isEqualTo(3);
    }
  }

  private static void awaitAppendTimeJump(String bootstrapServers, Duration least) {
    await("a ledger entry with the stepped append time")
        .atMost(Duration.ofSeconds(10))
        .until(() ->
            LedgerAudit.readAll(bootstrapServers, Topics.DEFAULT.sessionLedger()).stream()
                .anyMatch(
                    record -> record.timestamp() > System.currentTimeMillis() + least.toMillis()));
  }
}
