package dev.flyball.contract.ledger;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /**
   * A runner's newest entry and its append time, in epoch milliseconds.
   *
   * @param at the entry's offset; null where it was not saved, which orders it before all others
   */
  record Heard(LedgerEntry.Runner runner, long appendMs, @Nullable Long at) {
    /** The key of the order: the most recent entry comes last. */
    long order() {
      return at == null ? -1 : at;
    }
  }

  Runners with(LedgerEntry.Runner runner, long appendMs, long at) {
    var changed = new ArrayList<Heard>(heard.size() + 1);
    for (Heard each : heard) {
      if (!each.runner.id().equals(runner.id())) {
        changed.add(each);
      }
    }
    changed.add(new Heard(runner, appendMs, at));
    return new Runners(
        changed.size() <= KEPT ? changed : changed.subList(changed.size() - KEPT, changed.size()));
  }
}
