package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventType;
import dev.flyball.program.launch.Workplace;
import dev.flyball.program.story.SessionSampler.Sighting;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.BrokerProcess.Surroundings;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
      cat > /dev/null
      (sleep 600 &)
      sleep 1
      while [ -e "${0%/*}/hold" ]; do sleep 0.2; done
      echo "Main.java line 1 is the cause"
      """;

  @Test
  void theCapHoldsAndEveryRequestEndsAndEveryFenceComesBeforeTheNextStart(@TempDir Path folder) {
    assumeThat(said(Wires.missing())).isEmpty();
    System.out.println("cut networks: -Dcut.seed=" + SEED + " -Dcut.rounds=" + ROUNDS);
    try (var wires = Wires.lay(RUNNERS)) {
      theCapHolds(wires, folder);
    }
  }

  private static void theCapHolds(Wires wires, Path folder) {
    var broker =
        BrokerProcess.start(
            folder.resolve("kafka"),
            new Surroundings(wires.brokerHost(), Map.of(), wires.besideBroker()));
    try (var cluster =
        Cluster.over(broker, Workplace.in(folder, AGENT))
            .configure(CAP, Workplace.SCALED)
            .behind(data ->
                data.startsWith("runner-")
                    ? wires.atRunner(Integer.parseInt(data.substring("runner-".length())))
                    : wires.besideBroker())
            .start(RUNNERS)) {
      List<CutRound> rounds =
          CutRound.draw(new Random(SEED), ROUNDS, RUNNERS, Workplace.SCALED_LEASE);
      rounds.forEach(round -> play(round, cluster, wires, broker));

      LedgerAudit audit = cluster.awaitSettled(Duration.ofMinutes(4));

      var fences = FenceOrder.of(audit, cluster.sampler.sightings(), cluster.place);
      System.out.printf(
          "cut networks: %d rounds, %s, fenced: %s%n",
          ROUNDS, audit.summary(cluster.sampler), fences.fenced());
      assertThat(fences.tooLate()).as("fenced, and alive when the next one began").isEmpty();
      audit.assertInvariants(cluster.sampler, CAP);
      assertThat(audit.count(EventType.SESSION_FAILED)).as("attempts used up by a cut").isZero();
      assertThat(fences.fenced()).as("sessions that were fenced").isNotEmpty();
    }
  }

  private static void play(CutRound round, Cluster cluster, Wires wires, BrokerProcess broker) {
    if (round.longer()) {
      // So that nothing which is cut off can end before its fence by being done.
      cluster.place.write("hold", "");
    }
    cluster.add(ITEMS_PER_ROUND);
    int victim = victim(round, wires, cluster.sampler);
    System.out.println("cut networks: at runner-" + victim + ": " + round);
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
    cluster.place.remove("hold");
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

  /**
   * One fault: what, at whom, for how long.
   *
   * @param victim the runner to cut off, if it has a live session then
   * @param longer whether it outlasts the lease and a takeover
   */
  private record CutRound(int number, Fault fault, int victim, boolean longer, Duration length) {

    /** What goes wrong. */
    sealed interface Fault {
      /** One runner's wire is cut. */
      record Wire(Wires.Cut how) implements Fault {}

      /** The broker is killed with -9 and started again on the same folder. */
      record Broker() implements Fault {}
    }

    /**
     * Draws rounds: every kind of fault before one comes again, and every second one or one more
     * longer than the lease.
     */
    static List<CutRound> draw(Random random, int rounds, int runners, Duration lease) {
      List<Fault> faults = new ArrayList<>();
      while (faults.size() < rounds) {
        faults.addAll(deck(random));
      }
      List<Boolean> longer =
          new ArrayList<>(IntStream.range(0, rounds).mapToObj(i -> i % 2 == 0).toList());
      Collections.shuffle(longer, random);
      return IntStream.range(0, rounds)
          .mapToObj(i ->
              new CutRound(
                  i + 1,
                  faults.get(i),
                  random.nextInt(runners),
                  longer.get(i),
                  length(random, longer.get(i), lease)))
          .toList();
    }

    private static List<Fault> deck(Random random) {
      List<Fault> deck = new ArrayList<>();
      Arrays.stream(Wires.Cut.values()).map(Fault.Wire::new).forEach(deck::add);
      deck.add(new Fault.Broker());
      Collections.shuffle(deck, random);
      return deck;
    }

    /** A takeover takes a lease + 2 s at most. */
    private static Duration length(Random random, boolean longer, Duration lease) {
      double leases = longer ? random.nextDouble(1.5, 2.2) : random.nextDouble(0.1, 0.9);
      return Duration.ofMillis(Math.round(lease.toMillis() * leases));
    }
  }

  /**
   * When fenced sessions were dead, by their runners' logs and by /proc, beside when the next
   * session began that could take their slot or their item.
   */
  private record FenceOrder(List<Fenced> fenced) {
    private static final Pattern DEAD =
        Pattern.compile("^(\\S+) .* tree ended: session=(\\S+) cause=fenced .*");

    /**
     * One fenced session.
     *
     * @param byRunner when its runner said that it had verified that nothing is left of it
     * @param byProc end of the first look at /proc that saw nothing of it, which decides
     * @param next the first session to be seen of those whose claim stands behind the end of its
     *     lease, so that they may have its slot or its item; null if there was none
     */
    record Fenced(
        String session, String item, Instant byRunner, Instant byProc, @Nullable Next next) {
      boolean tooLate() {
        return next != null && !byProc.isBefore(next.seen());
      }
    }

    /** The start after a fence. */
    record Next(String session, String item, Instant seen) {}

    /** Reads the runners' logs and compares. */
    static FenceOrder of(LedgerAudit audit, Map<String, Sighting> sightings, Workplace place) {
      return new FenceOrder(
          logged(place).entrySet().stream()
              .map(dead -> fenced(dead.getKey(), dead.getValue(), audit, sightings))
              .sorted(Comparator.comparing(Fenced::byProc))
              .toList());
    }

    private static Fenced fenced(
        String session, Instant byRunner, LedgerAudit audit, Map<String, Sighting> sightings) {
      Sighting sighting = sightings.get(session);
      // One that was fenced as it began may have lived between two looks.
      Instant byProc = sighting == null ? byRunner : sighting.gone();
      if (byProc == null) {
        throw new AssertionError("its runner says it is dead, /proc shows it: " + session);
      }
      return new Fenced(
          session, audit.itemOf(session), byRunner, byProc, next(session, audit, sightings));
    }

    private static @Nullable Next next(
        String session, LedgerAudit audit, Map<String, Sighting> sightings) {
      long end =
          Objects.requireNonNull(audit.endedAt.get(session), "settled, but its lease is open");
      return sightings.entrySet().stream()
          .filter(each -> audit.claimedAt.getOrDefault(each.getKey(), -1L) > end)
          .map(
              each -> new Next(each.getKey(), audit.itemOf(each.getKey()), each.getValue().first()))
          .min(Comparator.comparing(Next::seen))
          .orElse(null);
    }

    private static Map<String, Instant> logged(Workplace place) {
      Map<String, Instant> dead = new HashMap<>();
      try (var files = Files.walk(place.home)) {
        for (Path log : files.filter(file -> file.endsWith("logs/flyball.log")).toList()) {
          for (String line : Files.readAllLines(log)) {
            Matcher found = DEAD.matcher(line);
            if (found.matches()) {
              dead.put(found.group(2), OffsetDateTime.parse(found.group(1)).toInstant());
            }
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return dead;
    }

    /** Those that /proc saw alive when the next one began; there must be none. */
    List<Fenced> tooLate() {
      return fenced.stream().filter(Fenced::tooLate).toList();
    }
  }
}
