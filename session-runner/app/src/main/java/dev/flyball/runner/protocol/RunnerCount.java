package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Knows which runners live, by their entries, and whose turn it is, so that they do not all append
 * the same.
 *
 * <p>A runner that was not heard while the ledger could not be read is not taken for dead: after an
 * outage each runner would believe that it is alone, and all would do what one has to.
 */
final class RunnerCount {
  /** Time for the claim of a session's home to reach the other runners, nanoseconds. */
  private static final long HOME_SENDS = 2_000_000_000L;

  private final LeaseNanos nanos;
  private final RandomGenerator random;
  private final Map<String, Seen> known = new HashMap<>();

  /** How long the ledger was readable so far; a silence counts as one heartbeat at most. */
  private long readable;

  private long lastRead;

  private record Seen(LedgerEntry.Runner runner, long readableAt) {}

  RunnerCount(LeaseNanos nanos, RandomGenerator random) {
    this.nanos = nanos;
    this.random = random;
  }

  void read(LedgerEntry entry, long receivedAt) {
    readable = readable(receivedAt);
    lastRead = receivedAt;
    if (entry instanceof LedgerEntry.Runner runner) {
      known.put(runner.id(), new Seen(runner, readable));
    }
  }

  /** How many runners live, this one included. */
  int size(long now, String self) {
    forgetSilent(now);
    return known.containsKey(self) ? known.size() : known.size() + 1;
  }

  /**
   * This runner's turn at something that one runner has to do: 0 for the runner that goes first, 1
   * for the next two, 2 for the next four, and so on. Every runner finds the same order without a
   * message, and another order for each key, which spreads the work. The later turns grow, so that
   * runners which are dead or cannot act delay the work by the logarithm of their number.
   *
   * @param key what has to be done
   * @param counts which other runners could do it
   */
  int wave(long now, String key, String self, Predicate<LedgerEntry.Runner> counts) {
    forgetSilent(now);
    long own = score(key, self);
    int before = 0;
    for (Seen each : known.values()) {
      String id = each.runner().id();
      if (!id.equals(self) && counts.test(each.runner())) {
        long other = score(key, id);
        if (other < own || (other == own && id.compareTo(self) < 0)) {
          before++;
        }
      }
    }
    return 31 - Integer.numberOfLeadingZeros(before + 1);
  }

  /**
   * A random delay before a claim, long enough to keep apart the runners that may claim now: those
   * with a free slot. So the first claim comes as soon among a thousand runners as among two, and a
   * lone runner with a free slot does not wait. A session that would go on with one that another
   * runner stores is left to that runner for a moment, if it has a free slot: here it would begin
   * again and read the code a second time.
   *
   * @param home the runner that stores the agent's session which this claim's would resume; null if
   *     there is none
   */
  long claimDelay(long now, String self, @Nullable String home, LedgerState ledger) {
    if (size(now, self) == 1) {
      return 0;
    }
    Set<String> others =
        known.values().stream()
            .map(Seen::runner)
            .filter(it -> it.refusing() == null && ledger.heldBy(it.id()) < it.slots())
            .map(LedgerEntry.Runner::id)
            .filter(id -> !id.equals(self))
            .collect(Collectors.toSet());
    long headStart =
        home != null && others.contains(home)
            ? nanos.herd() * (others.size() + 1) + nanos.stagger() + HOME_SENDS
            : 0;
    return headStart + among(others.size() + 1);
  }

  long upTo(long bound) {
    return random.nextLong(Math.max(1, bound));
  }

  /** A runner that is alone does not wait. */
  private long among(int runners) {
    return runners == 1 || nanos.herd() == 0 ? 0 : random.nextLong(nanos.herd() * runners);
  }

  private void forgetSilent(long now) {
    long latest = readable(now) - 3 * nanos.heartbeat();
    known.values().removeIf(each -> each.readableAt() < latest);
  }

  private long readable(long now) {
    return readable + Math.min(now - lastRead, nanos.heartbeat());
  }

  /** Mixes all bits (the finalizer of MurmurHash3), or similar ids would come in similar order. */
  private static long score(String key, String runner) {
    long mixed = ((long) key.hashCode() << 32) | (runner.hashCode() & 0xffff_ffffL);
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
