package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-5, INV-6 over three runners of which one is killed and one is frozen, and then
 * without a broker for longer than a lease.
 */
@Tag("long")
final class RunnerLossIT {
  private static final int CAP = 4;
  private static final int ITEMS = 20;

  /** More than the cap, so that a broken cap shows: what waits could start beside the rest. */
  private static final int MORE = 2 * CAP;

  private static final Duration LEASE = Workplace.SCALED_LEASE;
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String AGENT =
      """
      cat > /dev/null
      (sleep 600 &)
      sleep 1.5
      while [ -e "${0%/*}/hold" ]; do sleep 0.1; done
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void theCapHoldsAndEveryRequestEndsWhoeverIsLost(@TempDir Path folder) {
    var broker = BrokerProcess.start(folder.resolve("kafka"));
    try (var cluster = Cluster.over(broker, Workplace.in(folder, AGENT))) {
      cluster.add(ITEMS);
      cluster.configure(CAP, Workplace.SCALED).start(3).awaitLive(CAP);
      Program frozen = cluster.runners.get(0);
      stopWhileItHolds(frozen);
      stopWhileItHolds(cluster.runners.get(1));
      long since = System.nanoTime();
      cluster.runners.get(1).kill9();
      await("the fault lasts longer than the lease")
          .atMost(LEASE.multipliedBy(3))
          .until(() -> System.nanoTime() - since > LEASE.multipliedBy(2).toNanos());
      frozen.signal("CONT");
      LedgerAudit audit = cluster.awaitSettled(PATIENCE);
      audit.assertInvariants(cluster.sampler, CAP);
      assertThat(cluster.sampler.most()).as("the cap was reached").isEqualTo(CAP);
      List<Long> takeovers = takeovers(audit);
      System.out.println("takeovers, ms from last renewal to expiry: " + takeovers);
      assertThat(takeovers).as("both runners' sessions were taken over").hasSizeGreaterThan(1);
      assertThat(takeovers)
          .allSatisfy(ms -> assertThat(ms).isLessThanOrEqualTo(LEASE.toMillis() + 2000));

      cluster.place.write("hold", "");
      cluster.add(MORE);
      cluster.awaitLive(CAP);
      Set<String> fenced = cluster.sampler.now();
      broker.kill();
      await("every session fences itself before its lease can end")
          .atMost(LEASE)
          .until(() -> cluster.place.live().isEmpty());
      cluster.place.remove("hold");
      broker.restart();
      audit = cluster.awaitSettled(PATIENCE);
      audit.assertInvariants(cluster.sampler, CAP);
      assertThat(audit.claims.keySet()).containsAll(fenced);
      assertThat(audit.count(EventType.SESSION_COMPLETED))
          .as("the work is done afterwards")
          .isEqualTo(ITEMS + MORE);
      assertThat(audit.count(EventType.SESSION_FAILED)).as("no attempt is used up").isZero();
      assertThat(audit.count(EventType.SESSION_TIMED_OUT)).isZero();
    }
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
