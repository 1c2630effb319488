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
 * <p>Runners take turns, by {@link RunnerCount#rank}: one runner appends the expiry of a lease when
 * it is due, the next a turn later if it is still open, and so on. So a lease costs about one
 * entry. While the log cannot be read no runner appends expiries: they would all arrive together
 * when the outage ends, before the releases of the holders.
 */
final class Witness {
  /** Most expiries in one round; with a round each quarter of a second that is 1,000 a second. */
  static final int MOST_A_ROUND = 250;

  private static final int NOT_KNOWN = -1;

  private final LeaseNanos nanos;
  private final RunnerCount runners;

  /** In order of receipt, the lease received longest ago first. */
  private final Map<String, Watch> watches = new LinkedHashMap<>();

  private long nextRound = Long.MAX_VALUE;

  /** Far in the past, and still far from an overflow. */
  private long lastRead = Long.MIN_VALUE / 2;

  private long resumedAt = lastRead;

  Witness(LeaseNanos nanos, RunnerCount runners) {
    this.nanos = nanos;
    this.runners = runners;
  }

  /**
   * @param rank of this runner, drawn when the lease is due
   */
  private record Watch(String holder, long seen, long receivedAt, long nextSend, int rank) {
    private Watch ranked(int place) {
      return new Watch(holder, seen, receivedAt, nextSend, place);
    }

    private Watch sent(long next) {
      return new Watch(holder, seen, receivedAt, next, rank);
    }
  }

  /** Any record was read: the log is readable. */
  void read(long receivedAt) {
    if (silent(receivedAt)) {
      // After an outage a holder's release, which it repeats every retry, is better than an expiry.
      resumedAt = receivedAt + nanos.retry;
    }
    lastRead = receivedAt;
  }

  void received(Lease lease, long receivedAt) {
    watches.remove(lease.session());
    watches.put(
        lease.session(),
        new Watch(lease.runner(), lease.seen(), receivedAt, Long.MIN_VALUE, NOT_KNOWN));
    nextRound = Math.min(nextRound, receivedAt + nanos.lease());
  }

  void ended(String session) {
    watches.remove(session);
  }

  List<Step> expiries(long now, String self) {
    if (now < nextRound) {
      return List.of();
    }
    if (silent(now)) {
      nextRound = now + nanos.retry;
      return List.of();
    }
    List<Step> steps = new ArrayList<>();
    nextRound = Long.MAX_VALUE;
    for (Map.Entry<String, Watch> each : watches.entrySet()) {
      Watch watch = each.getValue();
      long due = watch.receivedAt() + nanos.lease();
      if (now < due) {
        // Every later lease in the map was received later.
        nextRound = Math.min(nextRound, due);
        break;
      }
      if (watch.rank() == NOT_KNOWN) {
        watch = watch.ranked(rank(now, each.getKey(), watch, self));
        each.setValue(watch);
      }
      long turn = Math.max(due, resumedAt) + nanos.untilTurn(watch.rank());
      due = Math.max(turn, watch.nextSend());
      if (now >= due && steps.size() == MOST_A_ROUND) {
        nextRound = now + nanos.retry / 8;
        break;
      }
      if (now >= due) {
        steps.add(new Step.Append(new LedgerEntry.Expire(each.getKey(), watch.seen())));
        due = now + nanos.retry;
        each.setValue(watch.sent(due));
      }
      nextRound = Math.min(nextRound, due);
    }
    return steps;
  }

  long nextTick() {
    return nextRound;
  }

  /** The holder is the one runner that is certainly silent. */
  private int rank(long now, String session, Watch watch, String self) {
    return runners.rank(now, session, self, runner -> !runner.id().equals(watch.holder()));
  }

  /** This runner reads at least its own entries, so a longer silence is an outage. */
  private boolean silent(long now) {
    return now - lastRead > nanos.heartbeat + nanos.retry;
  }
}
