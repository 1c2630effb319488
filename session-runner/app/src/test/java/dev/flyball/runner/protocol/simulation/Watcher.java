package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Holds the invariants by watching when trees live. */
final class Watcher {
  private final World world;
  private final Set<Tree> live = new LinkedHashSet<>();
  private final Map<String, String> startedRequests = new HashMap<>();
  private final Map<String, Long> claims = new HashMap<>();
  private final Map<String, Integer> ends = new HashMap<>();
  private final Map<String, Integer> terminals = new HashMap<>();
  private final List<CapChange> caps = new ArrayList<>();
  private final Map<String, Long> spent = new HashMap<>();
  private final Map<String, Long> booked = new HashMap<>();
  private int starts;

  Watcher(World world) {
    this.world = world;
  }

  private record CapChange(long offset, int cap) {}

  int starts() {
    return starts;
  }

  boolean anyAlive() {
    return !live.isEmpty();
  }

  void folded(Effect effect, LedgerState truth, Log.Appended record) {
    long offset = record.offset();
    if (caps.isEmpty() || caps.getLast().cap != truth.cap()) {
      caps.add(new CapChange(offset, truth.cap()));
    }
    switch (effect) {
      case Effect.Claimed claimed -> {
        claims.put(claimed.lease().session(), offset);
        withinBudgets(claimed.lease(), truth, record.time());
      }
      case Effect.Released released -> ended(released.lease());
      case Effect.Expired expired -> ended(expired.lease());
      case Effect.Checkpointed checkpointed -> {
        if (!checkpointed.agrees()) {
          throw new Violation("one fold", "the checkpoint at " + offset + " differs");
        }
      }
      case Effect.None none -> {}
      case Effect.Renewed renewed -> {}
      case Effect.Settled settled -> {}
      case Effect.Changed changed -> {}
      case Effect.UnknownRules unknown -> {}
    }
  }

  /** What is spent, and what every open session may spend yet, fits into each of its budgets. */
  private static void withinBudgets(Lease claimed, LedgerState truth, Instant time) {
    for (String scope : Scope.of(claimed.item(), claimed.provider())) {
      Long limit = truth.limits(scope).dailyCostMicros();
      long promised =
          truth.leases().stream()
              .filter(lease -> Scope.of(lease.item(), lease.provider()).contains(scope))
              .mapToLong(lease -> Math.max(0, Incarnation.RESERVE - lease.costMicros()))
              .sum();
      if (limit != null && truth.spentMicros(scope, time) + promised > limit) {
        throw new Violation(
            "INV-8", claimed.session() + " breaks the budget of " + scope + ", " + limit);
      }
    }
  }

  private void ended(Lease lease) {
    String session = lease.session();
    booked.put(session, lease.costMicros());
    ends.merge(session, 1, Integer::sum);
    if (world.mutation == Mutation.NONE) {
      for (Tree tree : live) {
        if (tree.session.equals(session) && !tree.excused()) {
          throw new Violation("INV-5", tree + " lives after the end of its lease");
        }
      }
    }
  }

  /** Called before the tree counts as live. */
  void started(Tree starting) {
    starts++;
    String before = startedRequests.put(starting.request, starting.session);
    if (before != null) {
      throw new Violation(
          "INV-6", "request " + starting.request + " ran as " + before + " and as " + starting);
    }
    int others = 0;
    for (Tree tree : live) {
      if (!tree.excused()) {
        others++;
        if (tree.item.equals(starting.item)) {
          throw new Violation("INV-2", starting + " starts while " + tree + " lives");
        }
      }
    }
    int cap = largestCapSince(claims.getOrDefault(starting.session, 0L));
    if (others >= cap) {
      throw new Violation("INV-1", starting + " starts while " + cap + " of " + cap + " live");
    }
    live.add(starting);
    spent.put(starting.session, starting.costMicros);
  }

  void died(Tree tree) {
    live.remove(tree);
  }

  void killAllOn(Machine machine) {
    List.copyOf(live).stream().filter(tree -> tree.machine == machine).forEach(Tree::die);
  }

  void machineResumed(Machine machine) {
    List.copyOf(live).stream()
        .filter(tree -> tree.machine == machine)
        .forEach(Tree::machineResumed);
  }

  void terminal(String session) {
    terminals.merge(session, 1, Integer::sum);
  }

  /** At the end of a schedule, when nothing is open any more. */
  void finished() {
    for (String session : claims.keySet()) {
      exactlyOne(session, "end", ends);
      exactlyOne(session, "terminal event", terminals);
    }
    spent.forEach((session, cost) -> {
      long known = booked.getOrDefault(session, 0L);
      if (known < cost) {
        throw new Violation("INV-8", session + " spent " + cost + ", booked is " + known);
      }
    });
    for (String session : terminals.keySet()) {
      if (!claims.containsKey(session)) {
        throw new Violation("INV-6", session + " ended without an effective claim");
      }
    }
  }

  private static void exactlyOne(String session, String what, Map<String, Integer> counts) {
    int count = counts.getOrDefault(session, 0);
    if (count != 1) {
      throw new Violation("INV-6", "session " + session + " has " + count + " times one " + what);
    }
  }

  private int largestCapSince(long offset) {
    int largest = 0;
    for (int i = caps.size() - 1; i >= 0; i--) {
      largest = Math.max(largest, caps.get(i).cap);
      if (caps.get(i).offset <= offset) {
        break;
      }
    }
    return largest;
  }
}
