package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** INV-1, INV-2, INV-6 through a broker that is away, or whose clock jumps. */
@Tag("long")
final class BrokerOutageIT {
  /** Works until the file {@code go} is beside it. */
  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      until [ -e "${0%/*}/go" ]; do sleep 0.1; done
      echo "Main.java line 1 is the cause"
      """;

  /**
   * More items than the cap, so that a broken cap shows: what waits could start beside the rest.
   */
  private static final int CAP = 3;

  private static final int ITEMS = 2 * CAP;

  /** Lease minus margin minus renewal; no busy machine needs as long for a broker's start. */
  private static final Duration SURVIVED = Duration.ofSeconds(180 - 2 - 1);

  @Test
  void sessionsGoOnThroughAnOutageShorterThanLeaseMinusMarginMinusRenewal(@TempDir Path folder) {
    var place = workplace(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(
          Workplace.kafka(broker.bootstrapServers()),
          CAP,
          new Workplace.Clocks("180s", "1s", "2s"));
      cluster.start(2);
      Cluster.awaitLive(sampler, CAP);
      Set<String> before = sampler.now();
      long killed = System.nanoTime();
      broker.kill();
      broker.restart();
      assertThat(Duration.ofNanos(System.nanoTime() - killed))
          .as("the outage that sessions are to survive")
          .isLessThan(SURVIVED);
      place.write("go", "");
      LedgerAudit audit = cluster.awaitSettled(ITEMS, Duration.ofMinutes(3));
      assertThat(audit.claims.keySet()).containsAll(before);
      assertThat(audit.claims).as("each item is claimed once").hasSize(ITEMS);
      assertThat(audit.count(EventType.SESSION_COMPLETED)).isEqualTo(ITEMS);
      assertThat(sampler.most()).as("live sessions by /proc").isEqualTo(CAP);
    }
  }

  @Test
  void sessionsFenceThemselvesInALongerOutageAndUseUpNoAttempt(@TempDir Path folder) {
    var place = workplace(folder);
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), CAP, Workplace.SCALED);
      cluster.start(2);
      Cluster.awaitLive(sampler, CAP);
      Set<String> before = sampler.now();
      broker.kill();
      await("every session fences itself before its lease of 4.5 s can end")
          .atMost(Duration.ofMillis(4500))
          .until(() -> place.live().isEmpty());
      place.write("go", "");
      broker.restart();
      LedgerAudit audit = cluster.awaitSettled(ITEMS, Duration.ofMinutes(3));
      assertThat(sampler.most()).as("live sessions by /proc").isEqualTo(CAP);
      assertThat(sampler.mostOf(audit::itemOf)).isEqualTo(1);
      assertThat(audit.claims.keySet()).containsAll(before);
      assertThat(audit.count(EventType.SESSION_COMPLETED))
          .as("the work is done afterwards")
          .isEqualTo(ITEMS);
      assertThat(audit.count(EventType.SESSION_FAILED)).as("no attempt is used up").isZero();
      assertThat(audit.count(EventType.SESSION_TIMED_OUT)).isZero();
      assertThat(audit.claimsWithoutExactlyOneTerminal()).isEmpty();
    }
  }

  private static Workplace workplace(Path folder) {
    var place = Workplace.in(folder, AGENT);
    for (int i = 0; i < ITEMS; i++) {
      place.add(i, 1);
    }
    return place;
  }
}
