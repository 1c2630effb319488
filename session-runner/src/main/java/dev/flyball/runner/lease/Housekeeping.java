package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What any runner may do for all: seed the ledger, settle spent requests, write checkpoints, say
 * that it lives. Several may do the same at once; the fold ignores the later ones.
 */
final class Housekeeping {
  /** Entries between two checkpoints: a reader replays at most about this many. */
  static final long CHECKPOINT_EVERY = 1_000;

  private final Clockwork clockwork;
  private final LedgerEntry.Init seed;
  private final Crowd crowd;
  private long nextInit = Long.MIN_VALUE;
  private long nextSettling = Long.MIN_VALUE;
  private long nextCheckpoint = Long.MAX_VALUE;
  private long nextBeat = Long.MIN_VALUE;
  private long earliestBeat = Long.MIN_VALUE;
  private LedgerEntry.@Nullable Runner said;

  Housekeeping(Clockwork clockwork, LedgerEntry.Init seed, Crowd crowd) {
    this.clockwork = clockwork;
    this.seed = seed;
    this.crowd = crowd;
  }

  List<Step> due(LedgerState ledger, Demand demand, long now) {
    List<Step> steps = new ArrayList<>();
    if (!ledger.initialized() && now >= nextInit) {
      nextInit = now + clockwork.retry();
      steps.add(new Step.Append(seed));
    }
    beat(demand, now, steps);
    settle(ledger, demand, now, steps);
    checkpoint(ledger, now, steps);
    return steps;
  }

  long nextTick(LedgerState ledger) {
    long next = Math.min(nextBeat, nextCheckpoint);
    if (!ledger.initialized()) {
      next = Math.min(next, nextInit);
    }
    return ledger.spentRequests().isEmpty() ? next : Math.min(next, nextSettling);
  }

  private void beat(Demand demand, long now, List<Step> steps) {
    if (now < earliestBeat) {
      return;
    }
    LedgerEntry.Runner self = demand.self();
    if (now >= nextBeat || !self.equals(said)) {
      said = self;
      nextBeat = now + clockwork.beat();
      earliestBeat = now + clockwork.retry();
      steps.add(new Step.Append(self));
    }
  }

  private void settle(LedgerState ledger, Demand demand, long now, List<Step> steps) {
    if (now < nextSettling) {
      return;
    }
    nextSettling = now + clockwork.retry() / 2 + crowd.upTo(clockwork.retry());
    for (SpentRequest spent : ledger.spentRequests()) {
      OptionalLong by = demand.replacedBy(spent);
      if (by.isPresent() && by.getAsLong() > spent.requestAt().offset()) {
        steps.add(new Step.Append(new LedgerEntry.Settled(spent.request(), by.getAsLong())));
      }
    }
  }

  /** The random wait lets one runner write it and the others see it. */
  private void checkpoint(LedgerState ledger, long now, List<Step> steps) {
    if (ledger.offset() - ledger.lastCheckpoint() < CHECKPOINT_EVERY) {
      nextCheckpoint = Long.MAX_VALUE;
    } else if (nextCheckpoint == Long.MAX_VALUE) {
      nextCheckpoint = now + crowd.upTo(clockwork.retry());
    } else if (now >= nextCheckpoint) {
      nextCheckpoint = now + clockwork.retry() + crowd.upTo(clockwork.retry());
      steps.add(
          new Step.Append(
              new LedgerEntry.Checkpoint(ledger.offset(), ledger.rules(), ledger.snapshot())));
    }
  }
}
