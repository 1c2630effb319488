package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Watches the leases of other runners. It may expire a lease once its own clock has advanced a full
 * lease since it received that lease's last record. A participant that has just started received
 * them all at its start. Never persisted.
 *
 * <p>Runners witness in rounds of limited size, each runner at a different moment. After an outage
 * longer than a lease, every lease of the pool is due for every runner, and what they append then
 * comes before the renewals that end the outage.
 */
final class Witness {
  /** Most expiries in one round; with a round each quarter of a second that is 1,000 a second. */
  static final int MOST_A_ROUND = 250;

  private final LeaseNanos nanos;
  private final RunnerCount runners;

  /** In order of receipt, the lease received longest ago first. */
  private final Map<String, Watch> watches = new LinkedHashMap<>();

  private long nextRound = Long.MAX_VALUE;

  Witness(LeaseNanos nanos, RunnerCount runners) {
    this.nanos = nanos;
    this.runners = runners;
  }

  private record Watch(long seen, long receivedAt, long nextSend) {}

  void received(Lease lease, long receivedAt) {
    watches.remove(lease.session());
    watches.put(lease.session(), new Watch(lease.seen(), receivedAt, Long.MIN_VALUE));
    nextRound = Math.min(nextRound, receivedAt + nanos.lease());
  }

  void ended(String session) {
    watches.remove(session);
  }

  List<Step> expiries(long now, String self) {
    if (now < nextRound) {
      return List.of();
    }
    List<Step> steps = new ArrayList<>();
    nextRound = Long.MAX_VALUE;
    for (Map.Entry<String, Watch> each : watches.entrySet()) {
      Watch watch = each.getValue();
      long due = Math.max(watch.receivedAt() + nanos.lease(), watch.nextSend());
      if (now >= due && steps.size() == MOST_A_ROUND) {
        nextRound = now + nanos.retry() / 8;
        return steps;
      }
      if (now >= due) {
        steps.add(new Step.Append(new LedgerEntry.Expire(each.getKey(), watch.seen())));
        due = now + nanos.retry();
        each.setValue(new Watch(watch.seen(), watch.receivedAt(), due));
      }
      nextRound = Math.min(nextRound, due);
      if (now < watch.receivedAt() + nanos.lease()) {
        // Every later lease in the map was received later.
        break;
      }
    }
    if (nextRound != Long.MAX_VALUE) {
      nextRound += Math.min(runners.delay(now, self), nanos.retry() / 2);
    }
    return steps;
  }

  long nextTick() {
    return nextRound;
  }
}
