package dev.flyball.ops.console.projection;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * Watches the invariants that can be seen from outside. Pure; fed with every state of the ledger in
 * order. A lowered cap drains, so what is live may exceed it as long as nothing new starts.
 */
final class Promises {
  private int allowed;

  /** Takes note of the ledger's next state. */
  void observe(LedgerState ledger) {
    boolean within = ledger.live() <= ledger.cap();
    allowed =
        within
            ? ledger.cap()
            : Math.max(ledger.cap(), Math.min(allowed, Math.max(ledger.live(), 0)));
  }

  /**
   * Which promises do not hold, one line each.
   *
   * @param counters what the projection counted
   */
  List<String> broken(LedgerState ledger, Map<String, Long> counters) {
    var broken = new ArrayList<String>();
    if (ledger.live() > allowed) {
      broken.add("INV-1: " + ledger.live() + " sessions are live, the cap is " + ledger.cap());
    }
    var items = new HashSet<String>();
    for (Lease lease : ledger.leases()) {
      if (!items.add(lease.item().toString())) {
        broken.add("INV-2: two sessions are live for " + lease.item());
      }
    }
    if (counters.getOrDefault("survivors", 0L) > 0) {
      broken.add("INV-5: " + counters.get("survivors") + " processes outlived their sessions");
    }
    if (counters.getOrDefault("second-terminals", 0L) > 0) {
      broken.add(
          "INV-6: " + counters.get("second-terminals") + " sessions have a second terminal event");
    }
    return broken;
  }
}
