package dev.flyball.program.story;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * One fault: what, at whom, for how long.
 *
 * @param victim the runner to cut off, if it has a live session then
 * @param longer whether it outlasts the lease and a takeover
 */
record CutRound(int number, Fault fault, int victim, boolean longer, Duration length) {

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

  /** The round in words. */
  String of(int runner) {
    String what =
        switch (fault) {
          case Fault.Wire(Wires.Cut how) -> "runner-" + runner + " " + how;
          case Fault.Broker() -> "broker KILLED";
        };
    return "round %d: %s for %d ms, %s than the lease"
        .formatted(number, what, length.toMillis(), longer ? "longer" : "shorter");
  }
}
