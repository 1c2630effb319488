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
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
  private static final Pattern DEAD =
      Pattern.compile("(?m)^(\\S+) .* tree ended: session=(\\S+) cause=fenced .*");
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
      CutRound.draw(new Random(SEED)).forEach(round -> play(round, cluster, wires, broker));

      LedgerAudit audit = cluster.awaitSettled(Duration.ofMinutes(4));

      List<Fenced> fenced = fenced(audit, cluster);
      System.out.printf(
          "cut networks: %d rounds, %s, fenced: %s%n",
          ROUNDS, audit.summary(cluster.sampler), fenced);
      assertThat(fenced).as("dead when the next one began").noneMatch(Fenced::tooLate);
      audit.assertInvariants(cluster.sampler, CAP);
      assertThat(audit.count(EventType.SESSION_FAILED)).as("attempts used up by a cut").isZero();
      assertThat(fenced).as("sessions that were fenced").isNotEmpty();
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
    if (round.cut().isPresent()) {
      wires.cut(victim, round.cut().get());
      last(round);
      wires.heal(victim, round.cut().get());
    } else {
      broker.kill();
      last(round);
      broker.restart();
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
   * @param cut of one runner's wire; if there is none, the broker is killed with -9
   * @param victim the runner to cut off, if it has a live session then
   * @param longer whether it outlasts the lease and a takeover
   */
  private record CutRound(Optional<Wires.Cut> cut, int victim, boolean longer, Duration length) {
    /**
     * Draws rounds: every kind of fault before one comes again, and every second one or one more
     * longer than the lease.
     */
    static List<CutRound> draw(Random random) {
      var cuts = new ArrayList<Optional<Wires.Cut>>();
      while (cuts.size() < ROUNDS) {
        var deck = new ArrayList<>(Stream.of(Wires.Cut.values()).map(Optional::of).toList());
        deck.add(Optional.empty());
        Collections.shuffle(deck, random);
        cuts.addAll(deck);
      }
      var longer = new ArrayList<>(IntStream.range(0, ROUNDS).mapToObj(i -> i % 2 == 0).toList());
      Collections.shuffle(longer, random);
      return IntStream.range(0, ROUNDS)
          .mapToObj(i ->
              new CutRound(
                  cuts.get(i),
                  random.nextInt(RUNNERS),
                  longer.get(i),
                  length(random, longer.get(i))))
          .toList();
    }

    /** A takeover takes a lease + 2 s at most. */
    private static Duration length(Random random, boolean longer) {
      double leases = longer ? random.nextDouble(1.5, 2.2) : random.nextDouble(0.1, 0.9);
      return Duration.ofMillis(Math.round(Workplace.SCALED_LEASE.toMillis() * leases));
    }
  }

  /**
   * When a fenced session was dead, by its runner's log and by /proc, beside when the next session
   * began that could take its slot or its item.
   *
   * @param byRunner when its runner said that it had verified that nothing is left of it
   * @param byProc end of the first look at /proc that saw nothing of it, which decides
   * @param next when the first session was seen of those whose claim stands behind the end of its
   *     lease; null if there was none
   */
  private record Fenced(
      String session, String item, Instant byRunner, Instant byProc, @Nullable Instant next) {
    boolean tooLate() {
      return next != null && !byProc.isBefore(next);
    }
  }

  private static List<Fenced> fenced(LedgerAudit audit, Cluster cluster) {
    Map<String, Sighting> sightings = cluster.sampler.sightings();
    return logged(cluster.place).entrySet().stream()
        .map(dead -> fenced(dead.getKey(), dead.getValue(), audit, sightings))
        .sorted(Comparator.comparing(Fenced::byProc))
        .toList();
  }

  private static Fenced fenced(
      String session, Instant byRunner, LedgerAudit audit, Map<String, Sighting> sightings) {
    Sighting sighting = sightings.get(session);
    // One that was fenced as it began may have lived between two looks.
    Instant byProc = sighting == null ? byRunner : sighting.gone();
    if (byProc == null) {
      throw new AssertionError("its runner says it is dead, /proc shows it: " + session);
    }
    long end = Objects.requireNonNull(audit.endedAt.get(session), "settled, but its lease is open");
    Instant next =
        sightings.entrySet().stream()
            .filter(each -> audit.claimedAt.getOrDefault(each.getKey(), -1L) > end)
            .map(each -> each.getValue().first())
            .min(Comparator.naturalOrder())
            .orElse(null);
    return new Fenced(session, audit.itemOf(session), byRunner, byProc, next);
  }

  /** Fenced sessions by what their runners' logs say, and when that was said. */
  private static Map<String, Instant> logged(Workplace place) {
    Map<String, Instant> dead = new HashMap<>();
    try (var files = Files.walk(place.home)) {
      for (Path log : files.filter(file -> file.endsWith("logs/flyball.log")).toList()) {
        DEAD.matcher(Files.readString(log))
            .results()
            .forEach(found ->
                dead.put(found.group(2), OffsetDateTime.parse(found.group(1)).toInstant()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return dead;
  }
}
