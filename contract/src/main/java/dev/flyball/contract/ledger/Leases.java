package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open leases, found by session, item and request; one each at most.
 *
 * @param byScope how many belong to each scope, because every claim asks for several
 */
record Leases(
    PersistentMap<String, Lease> bySession,
    PersistentMap<ItemKey, String> byItem,
    PersistentMap<String, String> byRequest,
    PersistentMap<String, Integer> byScope) {

  static final Leases NONE =
      new Leases(
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty());

  int size() {
    return bySession.size();
  }

  List<Lease> all() {
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
    return byRequest.get(request) != null;
  }

  /** How many open leases belong to a scope. */
  int open(String scope) {
    Integer open = byScope.get(scope);
    return open == null ? 0 : open;
  }

  Leases with(Lease lease) {
    return new Leases(
        bySession.with(lease.session(), lease),
        byItem.with(lease.item(), lease.session()),
        byRequest.with(lease.request(), lease.session()),
        counted(lease, 1));
  }

  /** The same leases, one of them renewed. */
  Leases renewed(Lease lease) {
    return new Leases(bySession.with(lease.session(), lease), byItem, byRequest, byScope);
  }

  Leases without(Lease lease) {
    return new Leases(
        bySession.without(lease.session()),
        byItem.without(lease.item()),
        byRequest.without(lease.request()),
        counted(lease, -1));
  }

  private PersistentMap<String, Integer> counted(Lease lease, int more) {
    PersistentMap<String, Integer> counts = byScope;
    for (String scope : Scope.of(lease.item(), lease.provider())) {
      int count = open(scope) + more;
      counts = count == 0 ? counts.without(scope) : counts.with(scope, count);
    }
    return counts;
  }
}
