package dev.flyball.contract.ledger;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A ledger state as JSON: plain lists in a fixed order, so equal states are equal texts. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SavedState(
    long offset,
    int rules,
    @Nullable Integer initialCap,
    long leaseMs,
    List<Lease> leases,
    List<SpentRequest> spent,
    Map<Integer, Long> floors,
    Map<String, Integer> caps,
    List<LedgerEntry.Pause> pauses,
    Map<String, LedgerEntry.Limits> limits,
    Map<String, Long> operators,
    List<Spending.Day> days,
    List<String> refs,
    List<String> olderRefs,
    List<Runners.Heard> runners) {

  static LedgerSnapshot save(LedgerState state) {
    Operators operators = state.operators();
    var saved =
        new SavedState(
            state.offset(),
            state.rules(),
            state.initialCap(),
            state.leaseTime().toMillis(),
            sorted(state.open().all(), Comparator.comparingLong(Lease::claimedAt)),
            sorted(state.requests().spent().values(), Comparator.comparing(SpentRequest::request)),
            new TreeMap<>(state.requests().floors()),
            new TreeMap<>(operators.caps()),
            sorted(operators.pauses().values(), Comparator.comparing(LedgerEntry.Pause::scope)),
            new TreeMap<>(operators.limits()),
            new TreeMap<>(operators.last()),
            state.spending().days(),
            names(state.spending().refs()),
            names(state.spending().olderRefs()),
            state.heard().heard());
    return new LedgerSnapshot(state.digest(), RecordJson.tree(saved));
  }

  /**
   * Reads a snapshot.
   *
   * @throws UnreadableRecord if it has another shape or its digest is not that of its state
   */
  static LedgerState restore(LedgerSnapshot snapshot) {
    int rules = snapshot.state().path("rules").asInt(0);
    if (rules > LedgerState.RULES) {
      return LedgerState.stopped(snapshot.state().path("offset").asLong(-1), rules);
    }
    LedgerState state = RecordJson.fromTree(snapshot.state(), SavedState.class).toState();
    if (!state.digest().equals(snapshot.digest())) {
      throw new UnreadableRecord(
          "checkpoint's digest is " + snapshot.digest() + ", its state's is " + state.digest());
    }
    return state;
  }

  private LedgerState toState() {
    Leases open = Leases.NONE;
    for (Lease lease : leases) {
      open = open.with(lease);
    }
    PersistentMap<String, SpentRequest> requests = PersistentMap.empty();
    for (SpentRequest each : spent) {
      requests = requests.with(each.request(), each);
    }
    var parts =
        new LedgerState.Parts(
            open,
            new Requests(requests, Map.copyOf(floors)),
            new Operators(
                Map.copyOf(caps), pausesByScope(), Map.copyOf(limits), Map.copyOf(operators)),
            new Spending(days, set(refs), set(olderRefs)),
            new Runners(runners));
    return LedgerState.of(new LedgerState.Base(offset, rules, initialCap, leaseMs, offset), parts);
  }

  private Map<String, LedgerEntry.Pause> pausesByScope() {
    var byScope = new TreeMap<String, LedgerEntry.Pause>();
    pauses.forEach(pause -> byScope.put(pause.scope(), pause));
    return Map.copyOf(byScope);
  }

  private static <T> List<T> sorted(Iterable<T> values, Comparator<T> order) {
    var list = new ArrayList<T>();
    values.forEach(list::add);
    list.sort(order);
    return list;
  }

  private static List<String> names(PersistentMap<String, Boolean> set) {
    var names = new ArrayList<String>();
    set.forEach((name, yes) -> names.add(name));
    names.sort(Comparator.naturalOrder());
    return names;
  }

  private static PersistentMap<String, Boolean> set(List<String> names) {
    PersistentMap<String, Boolean> set = PersistentMap.empty();
    for (String name : names) {
      set = set.with(name, true);
    }
    return set;
  }
}
