package dev.flyball.contract.ledger;

import java.util.ArrayList;
import java.util.List;

/**
 * The newest entry of each runner, the most recent at the end. A runner may have a new id at every
 * start (a pod's name), so only the most recent runners are kept.
 */
record Runners(List<Heard> heard) {
  static final int KEPT = 256;
  static final Runners NONE = new Runners(List.of());

  Runners {
    heard = List.copyOf(heard);
  }

  /** A runner's newest entry and its append time, in epoch milliseconds. */
  record Heard(LedgerEntry.Runner runner, long appendMs) {}

  Runners with(LedgerEntry.Runner runner, long appendMs) {
    var changed = new ArrayList<Heard>(heard.size() + 1);
    for (Heard each : heard) {
      if (!each.runner.id().equals(runner.id())) {
        changed.add(each);
      }
    }
    changed.add(new Heard(runner, appendMs));
    return new Runners(
        changed.size() <= KEPT ? changed : changed.subList(changed.size() - KEPT, changed.size()));
  }
}
