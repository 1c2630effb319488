package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Knows which runners live, by their entries, and how long to wait so that they do not all append
 * at the same time.
 */
final class RunnerCount {
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
   * lone runner with a free slot does not wait.
   */
  long claimDelay(long now, String self, LedgerState ledger) {
    if (size(now, self) == 1) {
      return 0;
    }
    int others = 0;
    for (Seen each : known.values()) {
      LedgerEntry.Runner runner = each.runner();
      boolean free = runner.refusing() == null && ledger.heldBy(runner.id()) < runner.slots();
      if (free && !runner.id().equals(self)) {
        others++;
      }
    }
    return among(others + 1);
  }

  long upTo(long bound) {
    return random.nextLong(Math.max(1, bound));
  }

  /** A runner that is alone does not wait. */
  private long among(int runners) {
    return runners == 1 || nanos.herd() == 0 ? 0 : random.nextLong(nanos.herd() * runners);
  }
}
