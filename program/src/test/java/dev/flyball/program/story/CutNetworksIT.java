package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.BrokerProcess.Surroundings;
import dev.flyball.testkit.ProcSampler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-6 through networks that are really cut: broker and runners in network
 * namespaces of their own, wires cut both ways, one way and by black hole, for less and for more
 * than the lease, and the broker killed among the cuts. Every session that was fenced was dead
 * before the next one began; both instants are printed.
 *
 * <p>{@code -Dcut.rounds=50} for more, {@code -Dcut.seed=N} to draw the same rounds again.
 */
@Tag("long")
final class CutNetworksIT {
  private static final int ROUNDS = Integer.getInteger("cut.rounds", 2);
  private static final long SEED = Long.getLong("cut.seed", System.nanoTime());
  private static final int RUNNERS = 2;
  private static final int CAP = 2;
  private static final int ITEMS_PER_ROUND = 4;

  /** Works while {@code hold} is there, and leaves a process behind. */
  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      (sleep 600 &)
      sleep 1
      while [ -e "${0%/*}/hold" ]; do sleep 0.2; done
      echo "Main.java line 1 is the cause"
      """;

  private int items;

  @Test
  void theCapHoldsAndEveryRequestEndsAndEveryFenceComesBeforeTheNextStart(@TempDir Path folder) {
    assumeThat(said(Wires.missing())).isEmpty();
    System.out.println("cut networks: -Dcut.seed=" + SEED + " -Dcut.rounds=" + ROUNDS);
    var place = Workplace.in(folder, AGENT);
    try (var wires = Wires.lay(RUNNERS);
        var broker =
            BrokerProcess.start(
                folder.resolve("kafka"),
                new Surroundings(wires.brokerHost(), Map.of(), wires.besideBroker()));
        var sampler = SessionSampler.of(place);
        var cluster =
            new Cluster(
                place,
                broker.bootstrapServers(),
                data ->
                    data.startsWith("runner-")
                        ? wires.atRunner(Integer.parseInt(data.substring("runner-".length())))
                        : wires.besideBroker())) {
      place.configure(Workplace.kafka(broker.bootstrapServers()), CAP, Workplace.SCALED);
      cluster.start(RUNNERS);
      List<CutRound> rounds =
          CutRound.draw(new Random(SEED), ROUNDS, RUNNERS, Workplace.SCALED_LEASE);
      rounds.forEach(round -> play(round, place, wires, broker, sampler));

      LedgerAudit audit = cluster.awaitSettled(items, Duration.ofMinutes(4));

      var fences = FenceOrder.of(audit, sampler.sightings(), place);
      fences.print();
      System.out.printf(
          "cut networks: %d rounds, %d sessions, %d fenced, smallest gap %s ms, most live %d%n",
          ROUNDS,
          audit.claims.size(),
          fences.fenced().size(),
          fences.smallestGap(),
          sampler.most());
      assertThat(fences.tooLate()).as("fenced, and alive when the next one began").isEmpty();
      assertThat(sampler.most()).as("INV-1 by /proc").isLessThanOrEqualTo(CAP);
      assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isLessThanOrEqualTo(1);
      assertThat(audit.claimsWithoutExactlyOneTerminal()).as("INV-6").isEmpty();
      assertThat(audit.count(EventType.SESSION_FAILED)).as("attempts used up by a cut").isZero();
      assertThat(fences.fenced()).as("sessions that were fenced").isNotEmpty();
    }
    assertThat(place.live()).as("INV-5").isEmpty();
  }

  private void play(
      CutRound round, Workplace place, Wires wires, BrokerProcess broker, SessionSampler sampler) {
    if (round.longer()) {
      // So that nothing which is cut off can end before its fence by being done.
      place.write("hold", "");
    }
    IntStream.range(0, ITEMS_PER_ROUND).forEach(i -> place.add(items++, 1));
    int victim = victim(round, wires, sampler);
    System.out.println("cut networks: " + round.of(victim));
    switch (round.fault()) {
      case CutRound.Fault.Wire(Wires.Cut how) -> {
        wires.cut(victim, how);
        last(round);
        wires.heal(victim, how);
      }
      case CutRound.Fault.Broker() -> {
        broker.kill();
        last(round);
        broker.restart();
      }
    }
    place.remove("hold");
  }

  private static void last(CutRound round) {
    long since = System.nanoTime();
    await("the fault lasts")
        .atMost(round.length().multipliedBy(3))
        .until(() -> System.nanoTime() - since > round.length().toNanos());
  }

  /** The runner that the round drew if it has a live session, else another that has. */
  private static int victim(CutRound round, Wires wires, SessionSampler sampler) {
    var found = new int[] {-1};
    await("a runner with a live session")
        .atMost(Duration.ofMinutes(2))
        .until(() -> {
          found[0] =
              IntStream.range(0, RUNNERS)
                  .map(i -> (round.victim() + i) % RUNNERS)
                  .filter(runner -> works(runner, wires, sampler))
                  .findFirst()
                  .orElse(-1);
          return found[0] >= 0;
        });
    return found[0];
  }

  private static boolean works(int runner, Wires wires, SessionSampler sampler) {
    return sampler.now().stream()
        .flatMap(session -> ProcSampler.withCookie(session).stream())
        .anyMatch(seen -> wires.isAt(runner, seen.pid()));
  }

  /** A skipped proof must not be overlooked. */
  private static String said(@Nullable String missing) {
    if (missing == null) {
      return "";
    }
    System.err.println("CUT NETWORKS NOT PROVED: " + missing);
    return missing;
  }
}
