package dev.flyball.contract.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.HashTreePSet;

/** A ledger state as JSON. Its facts are sorted, so that equal states give equal texts. */
record SavedState(
    long offset,
    int rules,
    @Nullable Integer initialCap,
    long leaseMs,
    List<Lease> leases,
    List<SpentRequest> spent,
    Map<Integer, Long> floors,
    Operators operators,
    List<Spending.Day> days,
    List<String> refs,
    List<String> olderRefs,
    List<Spending.Hold> holds,
    List<Runners.Heard> runners) {

  /** What is read of a state whose rules may be newer: its other values may have any shape. */
  private record Head(long offset, int rules) {}

  static LedgerSnapshot of(LedgerState state) {
    LedgerState.Base base = state.base();
    LedgerState.Parts parts = state.parts();
    Operators operators = parts.operators();
    Spending spending = parts.spending();
    var saved =
        new SavedState(
            base.offset(),
            base.rules(),
            base.initialCap(),
            base.leaseMs(),
            sorted(parts.leases().all(), Lease::claimedAt),
            sorted(parts.requests().spent().values(), SpentRequest::request),
            new TreeMap<>(parts.requests().floors()),
            new Operators(
                new TreeMap<>(operators.caps()),
                new TreeMap<>(operators.pauses()),
                new TreeMap<>(operators.limits()),
                new TreeMap<>(operators.last())),
            spending.days(),
            sorted(spending.refs(), Function.identity()),
            sorted(spending.olderRefs(), Function.identity()),
            sorted(spending.held().values(), Spending.Hold::ref),
            parts.runners().heard());
    return new LedgerSnapshot(state.digest(), RecordJson.write(saved));
  }

  /**
   * Reads a state.
   *
   * @throws UnreadableRecord if it is broken, or its digest is not that of the snapshot
   */
  static LedgerState restored(LedgerSnapshot snapshot) {
    Head head = RecordJson.read(snapshot.state(), Head.class);
    if (head.rules() > LedgerState.RULES) {
      return LedgerState.stopped(head.offset(), head.rules());
    }
    SavedState saved = RecordJson.read(snapshot.state(), SavedState.class);
    LedgerState state;
    try {
      state = saved.state();
    } catch (RuntimeException e) {
      // Jackson sets a missing property to null, whatever the record's types declare.
      throw new UnreadableRecord("a saved ledger state is broken: " + e);
    }
    if (!state.digest().equals(snapshot.digest())) {
      throw new UnreadableRecord(
          "a saved ledger state's digest is "
              + snapshot.digest()
              + ", its facts' is "
              + state.digest());
    }
    return state;
  }

  private LedgerState state() {
    Leases open = Leases.NONE;
    for (Lease lease : leases) {
      open = open.with(lease);
    }
    return LedgerState.of(
        new LedgerState.Base(offset, rules, initialCap, leaseMs, offset),
        new LedgerState.Parts(
            open,
            new Requests(HashTreePMap.from(by(spent, SpentRequest::request)), Map.copyOf(floors)),
            new Operators(
                Map.copyOf(operators.caps()),
                Map.copyOf(operators.pauses()),
                Map.copyOf(operators.limits()),
                Map.copyOf(operators.last())),
            new Spending(
                days,
                HashTreePSet.from(refs),
                HashTreePSet.from(olderRefs),
                HashTreePMap.from(by(holds, Spending.Hold::ref))),
            new Runners(runners)));
  }

  private static <T> Map<String, T> by(List<T> values, Function<T, String> key) {
    var all = new HashMap<String, T>();
    values.forEach(each -> all.put(key.apply(each), each));
    return all;
  }

  private static <T, K extends Comparable<? super K>> List<T> sorted(
      Collection<T> values, Function<T, K> by) {
    return values.stream().sorted(Comparator.comparing(by)).toList();
  }
}
