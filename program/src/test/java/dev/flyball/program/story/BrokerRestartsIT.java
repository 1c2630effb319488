package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-3, INV-4, INV-5, INV-6 over three runners whose broker is stopped or killed
 * again and again, and whose broker's clock steps by an hour, forth and back. Every restart makes a
 * new leader epoch of every partition, and so a moment in which a consumer's position is not valid.
 * {@code -Dflyball.broker.restarts=20} for more, {@code -Dflyball.seed=N} for the same order of
 * stops and kills.
 */
@Tag("long")
@Timeout(7200)
final class BrokerRestartsIT {
  private static final int RESTARTS = Integer.getInteger("flyball.broker.restarts", 2);
  private static final int CAP = 4;

  /** More than the sessions between two restarts, so that something always waits. */
  private static final int WAITING = 8;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** Lease minus margin minus renewal. */
  private static final Duration SURVIVED = Duration.ofSeconds(60 - 5 - 1);

  private static final String AGENT =
      """
      cat > /dev/null
      (sleep 600 &)
      sleep 2
      while [ -e "${0%/*}/hold" ]; do sleep 0.1; done
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void noRunnerHaltsAndNothingIsLostOrDoubled(@TempDir Path folder) {
    long seed = Long.getLong("flyball.seed", System.nanoTime());
    System.out.println("broker restarts: -Dflyball.seed=" + seed);
    var random = new Random(seed);
    int killed = 1;
    var clock = SteppedClock.in(folder);
    var broker = BrokerProcess.start(folder.resolve("kafka"), clock.environment());
    try (var cluster = Cluster.over(broker, Workplace.in(folder, AGENT))) {
      cluster.configure(CAP, new Workplace.Clocks("60s", "1s", "5s")).start(3);
      Set<String> held = outlastAKillAndAClock(cluster, broker, clock);
      for (int i = 0; i < RESTARTS; i++) {
        cluster.addWaiting(WAITING);
        cluster.awaitLive(1);
        // The first one is not killed: the one before was.
        if (i > 0 && random.nextBoolean()) {
          broker.kill();
          killed++;
        } else {
          broker.stop();
        }
        broker.restart();
        int before = cluster.sampler.sightings().size();
        await("sessions go on after restart " + i)
            .atMost(PATIENCE)
            .until(() -> cluster.sampler.sightings().size() > before);
      }
      LedgerAudit audit = cluster.awaitSettled(PATIENCE);

      System.out.printf("broker restarts: %d, %d of them by kill -9: ", RESTARTS + 1, killed);
      assertThat(held)
          .as("an outage shorter than the lease ends no session")
          .allSatisfy(session ->
              assertThat(audit.terminals.get(session))
                  .extracting(LifecycleEvent::type)
                  .containsExactly(EventType.SESSION_COMPLETED));
      assertThat(audit.ends.values())
          .as("no wall clock decides a lease")
          .noneMatch(end -> end instanceof Effect.Expired);
      assertThat(cluster.sampler.most()).as("INV-1 by /proc").isEqualTo(CAP);
      cluster.assertAllAnalyzed(audit, CAP);
    }
  }

  /** The sessions that ran meanwhile. */
  private static Set<String> outlastAKillAndAClock(
      Cluster cluster, BrokerProcess broker, SteppedClock clock) {
    cluster.place.write("hold", "");
    cluster.addWaiting(WAITING);
    cluster.awaitLive(CAP);
    Set<String> held = cluster.sampler.now();
    long since = System.nanoTime();
    broker.kill();
    broker.restart();
    assertThat(Duration.ofNanos(System.nanoTime() - since))
        .as("the outage that sessions are to survive")
        .isLessThan(SURVIVED);
    clock.step(Duration.ofHours(1));
    await("a ledger entry with the stepped append time")
        .atMost(PATIENCE)
        .until(() ->
            LedgerAudit.readAll(cluster.kafka, Topics.DEFAULT.sessionLedger()).stream()
                .anyMatch(record ->
                    record.timestamp()
                        > System.currentTimeMillis() + Duration.ofMinutes(50).toMillis()));
    clock.step(Duration.ZERO);
    cluster.place.remove("hold");
    return held;
  }
}
