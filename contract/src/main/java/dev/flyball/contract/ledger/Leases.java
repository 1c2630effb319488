package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open leases, found by session, item and request; one each at most. Every claim needs the
 * totals of several scopes, so they are kept and not counted each time.
 *
 * @param byRunner how many leases each runner holds
 */
record Leases(
    PersistentMap<String, Lease> bySession,
    PersistentMap<ItemKey, String> byItem,
    PersistentMap<String, String> byRequest,
    PersistentMap<String, Total> byScope,
    PersistentMap<String, Integer> byRunner) {

  static final Leases NONE =
      new Leases(
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty());

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

  List<Lease> all() {
    return bySession.values();
  }

  /** Whether any of them is so, without a copy. */
  boolean any(Predicate<? super Lease> so) {
    return bySession.any(so);
  }

  @Nullable Lease ofSession(String session) {
    return bySession.get(session);
  }

  @Nullable Lease ofItem(ItemKey item) {
    String session = byItem.get(item);
    return session == null ? null : bySession.get(session);
  }

  boolean holdsRequest(String request) {
    return byRequest.get(request) != null;
  }

  /** The sum over the open leases of a scope. */
  Total total(String scope) {
    Total total = byScope.get(scope);
    return total == null ? Total.ZERO : total;
  }

  /** How many open leases a runner holds. */
  int held(String runner) {
    Integer held = byRunner.get(runner);
    return held == null ? 0 : held;
  }

  Leases with(Lease lease) {
    return new Leases(
        bySession.with(lease.session(), lease),
        byItem.with(lease.item(), lease.session()),
        byRequest.with(lease.request(), lease.session()),
        totals(lease, 1, lease.reserved()),
        held(lease.runner(), 1));
  }

  /** Returns the same leases, one of them renewed. */
  Leases renewed(Lease lease) {
    Lease before = bySession.get(lease.session());
    long less = before == null ? 0 : lease.reserved() - before.reserved();
    return new Leases(
        bySession.with(lease.session(), lease),
        byItem,
        byRequest,
        less == 0 ? byScope : totals(lease, 0, less),
        byRunner);
  }

  /**
   * Returns these leases without the lease of this session, whatever the given lease has spent
   * since.
   */
  Leases without(Lease lease) {
    Lease open = bySession.get(lease.session());
    if (open == null) {
      return this;
    }
    return new Leases(
        bySession.without(open.session()),
        byItem.without(open.item()),
        byRequest.without(open.request()),
        totals(open, -1, -open.reserved()),
        held(open.runner(), -1));
  }

  private PersistentMap<String, Total> totals(Lease lease, int leases, long micros) {
    PersistentMap<String, Total> totals = byScope;
    for (String scope : Scope.of(lease.item(), lease.provider())) {
      Total total = total(scope).plus(leases, micros);
      totals = total.open() == 0 ? totals.without(scope) : totals.with(scope, total);
    }
    return totals;
  }

  private PersistentMap<String, Integer> held(String runner, int more) {
    int held = held(runner) + more;
    return held == 0 ? byRunner.without(runner) : byRunner.with(runner, held);
  }
}
