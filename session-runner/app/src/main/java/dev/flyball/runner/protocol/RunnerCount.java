package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Knows which runners live, by their entries, and how long to wait so that they do not all append
 * at the same time.
 */
final class RunnerCount {
  /** Time for the claim of a session's home to reach the other runners, nanoseconds. */
  private static final long HOME_SENDS = 2_000_000_000L;

  private final LeaseNanos nanos;
  private final RandomGenerator random;
  private final Map<String, Seen> known = new HashMap<>();

  private record Seen(LedgerEntry.Runner runner, long receivedAt) {}

  RunnerCount(LeaseNanos nanos, RandomGenerator random) {
    this.nanos = nanos;
    this.random = random;
  }

  void read(LedgerEntry entry, long receivedAt) {
    if (entry instanceof LedgerEntry.Runner runner) {
      known.put(runner.id(), new Seen(runner, receivedAt));
    }
  }

  /** How many runners live, this one included. */
  int size(long now, String self) {
    known.values().removeIf(each -> now - each.receivedAt() > 3 * nanos.heartbeat());
    return known.containsKey(self) ? known.size() : known.size() + 1;
  }

  /** A random delay that keeps the appends of all live runners apart. */
  long delay(long now, String self) {
    return among(size(now, self));
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
}
