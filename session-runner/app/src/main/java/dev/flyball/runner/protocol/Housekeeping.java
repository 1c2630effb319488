package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The work that any runner may do for all: seed the ledger, upgrade its rules, settle spent
 * requests, write checkpoints, and report that it lives. Several runners may do the same at the
 * same time; the fold ignores the later entries.
 */
final class Housekeeping {
  private final LeaseNanos nanos;
  private final LedgerEntry.Init seed;
  private final RunnerCount runners;
  private final Settlements settling;
  private final Checkpointing checkpointing;
  private long nextInit = Long.MIN_VALUE;
  private long nextRules = Long.MIN_VALUE;
  private long nextBudget = Long.MIN_VALUE;
  private long nextHeartbeat = Long.MIN_VALUE;
  private long earliestHeartbeat = Long.MIN_VALUE;
  private LedgerEntry.@Nullable Runner reported;

  Housekeeping(
      LeaseNanos nanos,
      LedgerEntry.Init seed,
      RunnerCount runners,
      Supplier<String> checkpointIds) {
    this.nanos = nanos;
    this.seed = seed;
    this.runners = runners;
    this.settling = new Settlements(nanos, runners);
    this.checkpointing = new Checkpointing(nanos, runners, checkpointIds);
  }

  /** A part of a checkpoint was read; the step cuts the log, if it is to be cut. */
  Optional<Step> checkpointed(LedgerEntry entry, Instant appendTime, long now) {
    return entry instanceof LedgerEntry.Checkpoint checkpoint
        ? checkpointing.read(checkpoint, appendTime, now)
        : Optional.empty();
  }

  /** An entry took effect; warns if it seeded the ledger with other values than this runner's. */
  Optional<Step> seeded(LedgerEntry entry) {
    return entry instanceof LedgerEntry.Init init && !init.equals(seed)
        ? Optional.of(
            new Step.Warn("the ledger was seeded with other values than configured here: " + init))
        : Optional.empty();
  }

  List<Step> due(LedgerState ledger, ClaimSource demand, long now) {
    List<Step> steps = new ArrayList<>();
    if (!ledger.initialized() && now >= nextInit) {
      nextInit = now + nanos.retry;
      steps.add(new Step.Append(seed));
    }
    if (ledger.initialized() && !budgetsSet(ledger) && now >= nextBudget) {
      nextBudget = now + nanos.retry;
      steps.addAll(budgets(ledger, demand));
    }
    rules(ledger, demand.self().rules(), now, steps);
    heartbeat(ledger, demand, now, steps);
    settling.due(ledger, demand, now, steps);
    checkpointing.due(ledger, demand.self().id(), now, steps);
    return steps;
  }

  long nextTick(LedgerState ledger) {
    long next = Math.min(nextHeartbeat, checkpointing.nextTick());
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

  /**
   * Upgrades the ledger's rules once every runner knows newer ones: a runner that does not know
   * them would end its sessions. The fold makes sure that every open lease's runner knows them too.
   */
  private void rules(LedgerState ledger, int known, long now, List<Step> steps) {
    if (ledger.rules() < known && now >= nextRules && runners.all(now, it -> it.rules() >= known)) {
      nextRules = now + nanos.heartbeat;
      steps.add(new Step.Append(new LedgerEntry.Rules(known)));
    }
  }

  private void heartbeat(LedgerState ledger, ClaimSource demand, long now, List<Step> steps) {
    if (now < earliestHeartbeat) {
      return;
    }
    LedgerEntry.Runner self = Unsettled.refusing(ledger, demand.self());
    if (now >= nextHeartbeat || !self.equals(reported)) {
      reported = self;
      nextHeartbeat = now + nanos.heartbeat;
      earliestHeartbeat = now + nanos.retry;
      steps.add(new Step.Append(self));
    }
  }

  /**
   * Settles spent requests whose record was replaced. In each round a runner checks one share of
   * them, drawn at random; there are as many shares as live runners. So each request is settled
   * about once and not once by every runner, and a share that no runner drew is drawn soon.
   */
  static final class Settlements {
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
          next = now + nanos.retry / 8;
          return;
        }
      }
      next = now + nanos.retry / 2 + runners.upTo(nanos.retry);
    }

    long nextTick(LedgerState ledger) {
      return ledger.unsettled() == 0 ? Long.MAX_VALUE : next;
    }
  }
}
