package dev.flyball.contract.ledger;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * Allows one session per request. A request is spent once its session has ended. Settling removes
 * it and raises its partition's floor instead, which rejects every claimant that has not read the
 * record that replaced it. So memory is bounded and finished work is never claimed again.
 *
 * @param floors by partition, the lowest {@code readTo} that a claim needs
 */
record Requests(PMap<String, SpentRequest> spent, Map<Integer, Long> floors) {
  static final Requests NONE = new Requests(HashTreePMap.empty(), Map.of());

  @Nullable SpentRequest spent(String request) {
    return spent.get(request);
  }

  long floor(int partition) {
    return floors.getOrDefault(partition, 0L);
  }

  /** Whether the session of this request, if it is spent, had this id. */
  boolean hadSession(String request, String session) {
    SpentRequest ended = spent.get(request);
    return ended != null && ended.session().equals(session);
  }

  Requests ended(Lease lease, long offset) {
    var ended =
        new SpentRequest(lease.request(), lease.requestAt(), lease.item(), lease.session(), offset);
    return new Requests(spent.plus(lease.request(), ended), floors);
  }

  Requests settled(SpentRequest request, long by) {
    int partition = request.requestAt().partition();
    var raised = new TreeMap<>(floors);
    raised.merge(partition, by + 1, Math::max);
    return new Requests(spent.minus(request.request()), Map.copyOf(raised));
  }
}
