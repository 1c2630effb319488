package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Knows which runners live, by their entries, and whose turn it is, so that they do not all append
 * the same.
 *
 * <p>A runner that was not heard while the ledger could not be read is not taken for dead: after an
 * outage each runner would believe that it is alone, and all would do what one has to.
 */
final class RunnerCount {
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
    int live = live(now).size();
    return known.containsKey(self) ? live : live + 1;
  }

  /**
   * How many runners go before this one at something that one runner has to do. Every runner finds
   * the same order without a message, and another order for each key, which spreads the work.
   *
   * @param key what has to be done
   * @param counts which other runners could do it
   */
  int rank(long now, String key, String self, Predicate<LedgerEntry.Runner> counts) {
    long own = score(key, self);
    int before = 0;
    for (Seen each : live(now)) {
      String id = each.runner().id();
      long other = score(key, id);
      boolean earlier = other < own || (other == own && id.compareTo(self) < 0);
      if (earlier && counts.test(each.runner())) {
        before++;
      }
    }
    return before;
  }

  /**
   * Whether all runners that live have this property, and the ledger was read for so long that each
   * of them has been heard.
   */
  boolean all(long now, Predicate<LedgerEntry.Runner> have) {
    return readable(now) >= 3 * nanos.heartbeat
        && live(now).stream().allMatch(each -> have.test(each.runner()));
  }

  /** Whether a runner that lives has this property, by its newest entry. */
  boolean any(long now, Predicate<LedgerEntry.Runner> has) {
    return live(now).stream().anyMatch(each -> has.test(each.runner()));
  }

  long upTo(long bound) {
    return random.nextLong(Math.max(1, bound));
  }

  /** Forgets who is silent for too long. */
  private Collection<Seen> live(long now) {
    long latest = readable(now) - 3 * nanos.heartbeat;
    known.values().removeIf(each -> each.readableAt() < latest);
    return known.values();
  }

  private long readable(long now) {
    return readable + Math.min(now - lastRead, nanos.heartbeat);
  }

  /** Mixes all bits (the finalizer of MurmurHash3), or similar ids would come in similar order. */
  private static long score(String key, String runner) {
    long mixed = ((long) key.hashCode() << 32) | (runner.hashCode() & 0xffff_ffffL);
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }
}
