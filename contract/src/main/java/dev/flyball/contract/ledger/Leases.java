package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * The open leases, found by session, item and request; one each at most. Every claim needs the
 * totals of several scopes, so they are kept and not counted each time.
 *
 * @param byRunner how many leases each runner holds
 */
record Leases(
    PMap<String, Lease> bySession,
    PMap<ItemKey, String> byItem,
    PMap<String, String> byRequest,
    PMap<String, Total> byScope,
    PMap<String, Integer> byRunner) {

  static final Leases NONE =
      new Leases(
          HashTreePMap.empty(),
          HashTreePMap.empty(),
          HashTreePMap.empty(),
          HashTreePMap.empty(),
          HashTreePMap.empty());

  /**
   * The sum over the open leases of a scope.
   *
   * @param reserved micro-dollars of their reserves that they may still spend
   */
  record Total(int open, long reserved) {
    static final Total ZERO = new Total(0, 0);

    private Total plus(int leases, long micros) {
      return new Total(open + leases, reserved + micros);
    }
  }

  int size() {
    return bySession.size();
  }

  Collection<Lease> all() {
    return bySession.values();
  }

  @Nullable Lease ofSession(String session) {
    return bySession.get(session);
  }

  @Nullable Lease ofItem(ItemKey item) {
    String session = byItem.get(item);
    return session == null ? null : bySession.get(session);
  }

  boolean holdsRequest(String request) {
    return byRequest.containsKey(request);
  }

  /** The sum over the open leases of a scope. */
  Total total(String scope) {
    return byScope.getOrDefault(scope, Total.ZERO);
  }

  /** How many open leases a runner holds. */
  int held(String runner) {
    return byRunner.getOrDefault(runner, 0);
  }

  Leases with(Lease lease) {
    return new Leases(
        bySession.plus(lease.session(), lease),
        byItem.plus(lease.item(), lease.session()),
        byRequest.plus(lease.request(), lease.session()),
        totals(lease, 1, lease.reserved()),
        held(lease.runner(), 1));
  }

  /** Returns the same leases, one of them renewed. */
  Leases renewed(Lease lease) {
    Lease before = bySession.get(lease.session());
    long less = before == null ? 0 : lease.reserved() - before.reserved();
    return new Leases(
        bySession.plus(lease.session(), lease),
        byItem,
        byRequest,
        less == 0 ? byScope : totals(lease, 0, less),
        byRunner);
  }

  /** These leases without the lease of this session, whatever it has spent since. */
  Leases without(Lease lease) {
    Lease open = bySession.get(lease.session());
    if (open == null) {
      return this;
    }
    return new Leases(
        bySession.minus(open.session()),
        byItem.minus(open.item()),
        byRequest.minus(open.request()),
        totals(open, -1, -open.reserved()),
        held(open.runner(), -1));
  }

  private PMap<String, Total> totals(Lease lease, int leases, long micros) {
    PMap<String, Total> totals = byScope;
    for (String scope : Scope.of(lease.item(), lease.provider())) {
      Total total = total(scope).plus(leases, micros);
      totals = total.open() == 0 ? totals.minus(scope) : totals.plus(scope, total);
    }
    return totals;
  }

  private PMap<String, Integer> held(String runner, int more) {
    int held = held(runner) + more;
    return held == 0 ? byRunner.minus(runner) : byRunner.plus(runner, held);
  }
}
