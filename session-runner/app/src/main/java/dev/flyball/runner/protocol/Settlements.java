package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import java.util.List;
import java.util.OptionalLong;

/**
 * Settles spent requests whose record was replaced. In each round a runner checks one share of
 * them, drawn at random; there are as many shares as live runners. So each request is settled about
 * once and not once by every runner, and a share that no runner drew is drawn soon.
 */
final class Settlements {
  /** Entries in one round; the rest follows an eighth of a retry later. */
  static final int MOST_A_ROUND = 500;

  private final LeaseNanos nanos;
  private final RunnerCount runners;
  private long next = Long.MIN_VALUE;

  Settlements(LeaseNanos nanos, RunnerCount runners) {
    this.nanos = nanos;
    this.runners = runners;
  }

  void due(LedgerState ledger, ClaimSource demand, long now, List<Step> steps) {
    if (now < next || ledger.unsettled() == 0) {
      return;
    }
    int shares = runners.size(now, demand.self().id());
    int share = (int) runners.upTo(shares);
    int settled = 0;
    for (SpentRequest spent : ledger.spentRequests()) {
      if (Math.floorMod(spent.request().hashCode(), shares) != share) {
        continue;
      }
      OptionalLong by = demand.replacedBy(spent);
      if (by.isPresent() && by.getAsLong() > spent.requestAt().offset()) {
        steps.add(new Step.Append(new LedgerEntry.Settled(spent.request(), by.getAsLong())));
        settled++;
      }
      if (settled == MOST_A_ROUND) {
        next = now + nanos.retry() / 8;
        return;
      }
    }
    next = now + nanos.retry() / 2 + runners.upTo(nanos.retry());
  }

  long nextTick(LedgerState ledger) {
    return ledger.unsettled() == 0 ? Long.MAX_VALUE : next;
  }
}
