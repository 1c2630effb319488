package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Ends each own session that runs on a spent budget, once. Every runner folds the same spend, so
 * the sessions of all runners end by the same entry.
 */
final class BudgetEnds {
  private final Set<String> ended = new HashSet<>();

  List<Step> due(LedgerState ledger, List<String> live, Instant ledgerNow) {
    ended.retainAll(live);
    var steps = new ArrayList<Step>();
    for (String session : live) {
      if (!ended.contains(session)) {
        ledger
            .lease(session)
            .flatMap(lease -> ledger.overBudget(lease, ledgerNow))
            .ifPresent(use -> {
              ended.add(session);
              steps.add(new Step.End(session, use.text()));
            });
      }
    }
    return steps;
  }
}
