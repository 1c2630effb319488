package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The work that any runner may do for all: seed the ledger, settle spent requests, write
 * checkpoints, and report that it lives. Several runners may do the same at the same time; the fold
 * ignores the later entries.
 */
final class Housekeeping {
  private final LeaseNanos clockwork;
  private final LedgerEntry.Init seed;
  private final Settlements settling;
  private final Checkpointing checkpointing;
  private long nextInit = Long.MIN_VALUE;
  private long nextBudget = Long.MIN_VALUE;
  private long nextBeat = Long.MIN_VALUE;
  private long earliestBeat = Long.MIN_VALUE;
  private LedgerEntry.@Nullable Runner said;

  Housekeeping(
      LeaseNanos clockwork,
      LedgerEntry.Init seed,
      RunnerCount crowd,
      Supplier<String> checkpointIds) {
    this.clockwork = clockwork;
    this.seed = seed;
    this.settling = new Settlements(clockwork, crowd);
    this.checkpointing = new Checkpointing(clockwork, crowd, checkpointIds);
  }

  /**
   * Takes a part of a checkpoint that was read. The returned step cuts the log; null if nothing is
   * to be cut.
   */
  @Nullable Step read(LedgerEntry.Checkpoint checkpoint, Instant appendTime, long now) {
    return checkpointing.read(checkpoint, appendTime, now);
  }

  List<Step> due(LedgerState ledger, ClaimSource demand, long now) {
    List<Step> steps = new ArrayList<>();
    if (!ledger.initialized() && now >= nextInit) {
      nextInit = now + clockwork.retry();
      steps.add(new Step.Append(seed));
    }
    if (ledger.initialized() && !budgetsSet(ledger) && now >= nextBudget) {
      nextBudget = now + clockwork.retry();
      steps.addAll(budgets(ledger, demand));
    }
    beat(ledger, demand, now, steps);
    settling.due(ledger, demand, now, steps);
    checkpointing.due(ledger, now, steps);
    return steps;
  }

  long nextTick(LedgerState ledger) {
    long next = Math.min(nextBeat, checkpointing.nextTick());
    if (!ledger.initialized()) {
      next = Math.min(next, nextInit);
    } else if (!budgetsSet(ledger)) {
      next = Math.min(next, nextBudget);
    }
    return Math.min(next, settling.nextTick(ledger));
  }

  /**
   * Whether the ledger has a budget for every scope for which this runner has one. Runners whose
   * agent costs nothing may have seeded the ledger without budgets.
   */
  boolean budgetsSet(LedgerState ledger) {
    return seed.budgets().stream().allMatch(each -> ledger.limitsSet(each.scope()));
  }

  private List<Step> budgets(LedgerState ledger, ClaimSource demand) {
    return seed.budgets().stream()
        .filter(each -> !ledger.limitsSet(each.scope()))
        .<Step>map(each ->
            new Step.Append(
                new LedgerEntry.Budget(
                    each.scope(),
                    each.limits(),
                    ledger.lastOperator(each.scope()),
                    demand.self().id(),
                    "the ledger had no budget of this scope")))
        .toList();
  }

  private void beat(LedgerState ledger, ClaimSource demand, long now, List<Step> steps) {
    if (now < earliestBeat) {
      return;
    }
    LedgerEntry.Runner self = Unsettled.refusing(ledger, demand.self());
    if (now >= nextBeat || !self.equals(said)) {
      said = self;
      nextBeat = now + clockwork.beat();
      earliestBeat = now + clockwork.retry();
      steps.add(new Step.Append(self));
    }
  }
}
