package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-5, INV-6 over three runners of which one is killed and one is frozen (S0-29,
 * S0-59, MC-6, MC-9).
 */
@Tag("long")
final class RunnerLossIT {
  private static final int ITEMS = 40;
  private static final Duration LEASE = Duration.ofMillis(4500);

  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      (sleep 600 &)
      sleep 1.5
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void theCapHoldsAndEveryRequestEndsWhenOneRunnerIsKilledAndOneFrozen(@TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    for (int i = 0; i < ITEMS; i++) {
      place.add(i, 1);
    }
    try (var broker = BrokerProcess.start(folder.resolve("kafka"));
        var sampler = SessionSampler.of(place);
        var cluster = new Cluster(place, broker.bootstrapServers())) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), 4, Workplace.SCALED);
      cluster.start(3);
      Cluster.awaitLive(sampler, 4);
      Program frozen = cluster.runners.get(0);
      stopWhileItHolds(frozen);
      stopWhileItHolds(cluster.runners.get(1));
      long since = System.nanoTime();
      cluster.runners.get(1).kill9();
      await("the fault lasts longer than the lease")
          .atMost(LEASE.multipliedBy(3))
          .until(() -> System.nanoTime() - since > LEASE.multipliedBy(2).toNanos());
      frozen.signal("CONT");

      LedgerAudit audit = cluster.awaitSettled(ITEMS, Duration.ofMinutes(4));

      assertThat(sampler.most()).as("INV-1 by /proc").isEqualTo(4);
      assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isEqualTo(1);
      assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
      List<Long> takeovers = takeovers(audit);
      System.out.println("takeovers, ms from last renewal to expiry: " + takeovers);
      assertThat(takeovers).as("both runners' sessions were taken over").hasSizeGreaterThan(1);
      assertThat(takeovers)
          .allSatisfy(ms -> assertThat(ms).isLessThanOrEqualTo(LEASE.toMillis() + 2000));
    }
    assertThat(place.live()).as("INV-5").isEmpty();
  }

  /** Which runner claims is chance, and one that holds nothing would prove nothing. */
  private static void stopWhileItHolds(Program runner) {
    await("a session of runner " + runner.pid())
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() ->
            ProcessHandle.of(runner.pid()).stream().anyMatch(it -> it.children().count() > 0));
    runner.signal("STOP");
  }

  private static List<Long> takeovers(LedgerAudit audit) {
    return audit.ends.entrySet().stream()
        .filter(end -> end.getValue() instanceof Effect.Expired)
        .map(Map.Entry::getKey)
        .map(session ->
            Duration.between(audit.lastRenewal.get(session), audit.endTimes.get(session))
                .toMillis())
        .toList();
  }
}
