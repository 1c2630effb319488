package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.state.ItemState;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-3, INV-4, INV-5, INV-6 over three runners whose broker is stopped or killed
 * again and again. Every restart makes a new leader epoch of every partition, and so a moment in
 * which a consumer's position is not valid. {@code -Dflyball.broker.restarts=20} for more, {@code
 * -Dflyball.seed=N} for the same order of stops and kills.
 */
@Tag("long")
@Timeout(7200)
final class BrokerRestartsIT {
  private static final int RESTARTS = Integer.getInteger("flyball.broker.restarts", 3);
  private static final int CAP = 4;

  /** More than the sessions between two restarts, so that something always waits. */
  private static final int WAITING = 8;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      (sleep 600 &)
      sleep 2
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void noRunnerHaltsAndNothingIsLostOrDoubled(@TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    long seed = Long.getLong("flyball.seed", System.nanoTime());
    System.out.println("broker restarts: -Dflyball.seed=" + seed);
    var random = new Random(seed);
    int items = 0;
    int killed = 0;
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(
          Workplace.kafka(broker.bootstrapServers()), CAP, new Workplace.Clocks("60s", "1s", "5s"));
      cluster.start(3);
      for (int i = 0; i < RESTARTS; i++) {
        while (items < sampler.sightings().size() + WAITING) {
          place.add(items++, 1);
        }
        Cluster.awaitLive(sampler, 1);
        // The first two are one of each.
        if (i < 2 ? i == 0 : random.nextBoolean()) {
          broker.kill();
          killed++;
        } else {
          broker.stop();
        }
        broker.restart();
        int before = sampler.sightings().size();
        await("sessions go on after restart " + i)
            .atMost(PATIENCE)
            .until(() -> sampler.sightings().size() > before);
      }
      LedgerAudit audit = cluster.awaitSettled(items, PATIENCE);

      for (Program runner : cluster.runners) {
        assertThat(runner.alive()).isTrue();
        assertThat(runner.err()).doesNotContain("claims nothing");
      }
      System.out.printf(
          "broker restarts: %d, %d of them by kill -9: %d items, %d sessions, %s completed,"
              + " %s interrupted, %s lost, at most %d at once%n",
          RESTARTS,
          killed,
          items,
          audit.claims.size(),
          audit.count(EventType.SESSION_COMPLETED),
          audit.count(EventType.SESSION_INTERRUPTED),
          audit.count(EventType.SESSION_LOST),
          sampler.most());
      assertThat(sampler.most()).as("INV-1 by /proc").isLessThanOrEqualTo(CAP);
      assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isEqualTo(1);
      assertThat(audit.items).as("INV-3").hasSize(items);
      assertThat(
              audit.items.values().stream().map(ItemState::phase).map(Object::getClass).distinct())
          .as("INV-3: each was analyzed")
          .hasSize(1);
      assertThat(audit.count(EventType.ITEM_TRIAGED)).as("INV-4").isEqualTo(items);
      assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
    }
    assertThat(place.live()).as("INV-5").isEmpty();
  }
}
