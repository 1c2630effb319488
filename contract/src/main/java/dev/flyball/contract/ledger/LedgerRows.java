package dev.flyball.contract.ledger;

import dev.flyball.contract.json.RecordJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A ledger state as rows, so that no state is too large to write. A store keeps each row under its
 * key, and a checkpoint's parts carry as many as fit. {@link LedgerAssembly} builds the state from
 * all its rows.
 */
public final class LedgerRows {
  /** The row of the single values; it comes first, and its offset is the state's. */
  public static final String HEAD = "head";

  private LedgerRows() {}

  /**
   * One fact of a state, small enough for a separate record.
   *
   * @param key names the fact; no two rows of a state share it
   * @param json the fact, read by {@link LedgerAssembly}; null if the state no longer has it
   */
  public record Row(String key, @Nullable String json) {}

  /** Every row, in a fixed order, made one by one as they are taken. */
  public static Stream<Row> of(LedgerState state) {
    List<Lease> leases = new ArrayList<>(state.parts().leases().all());
    leases.sort(Comparator.comparingLong(Lease::claimedAt));
    List<SpentRequest> spent = new ArrayList<>(state.parts().requests().spent().values());
    spent.sort(Comparator.comparing(SpentRequest::request));
    return Stream.of(
            Stream.of(head(state)),
            small(state).entrySet().stream().map(each -> new Row(each.getKey(), each.getValue())),
            leases.stream().map(each -> lease(each.session(), each)),
            spent.stream().map(each -> spent(each.request(), each)),
            names(state.parts().spending().refs()).map(name -> ref(name, true)),
            names(state.parts().spending().olderRefs()).map(name -> olderRef(name, true)),
            holds(state.parts().spending()).map(each -> hold(each.ref(), each)))
        // Not flatMap, whose iterator makes all rows of a kind before it returns the first.
        .reduce(Stream.empty(), Stream::concat);
  }

  /**
   * Returns the rows that turn {@code before} into {@code after}; the cost is in proportion to the
   * change.
   */
  public static List<Row> changes(LedgerState before, LedgerState after) {
    var rows = new ArrayList<Row>();
    rows.add(head(after));
    after
        .parts()
        .leases()
        .bySession()
        .changes(before.parts().leases().bySession(), (key, lease) -> rows.add(lease(key, lease)));
    after
        .parts()
        .requests()
        .spent()
        .changes(
            before.parts().requests().spent(), (key, request) -> rows.add(spent(key, request)));
    Spending was = before.parts().spending();
    Spending now = after.parts().spending();
    now.refs().changes(was.refs(), (name, yes) -> rows.add(ref(name, yes)));
    now.olderRefs().changes(was.olderRefs(), (name, yes) -> rows.add(olderRef(name, yes)));
    now.held().changes(was.held(), (ref, hold) -> rows.add(hold(ref, hold)));
    SortedMap<String, String> old = small(before);
    SortedMap<String, String> next = small(after);
    var keys = new HashSet<>(old.keySet());
    keys.addAll(next.keySet());
    for (String key : keys) {
      if (!Objects.equals(old.get(key), next.get(key))) {
        rows.add(new Row(key, next.get(key)));
      }
    }
    return rows;
  }

  private static Row head(LedgerState state) {
    LedgerState.Base base = state.base();
    var values = new TreeMap<String, Object>();
    values.put("offset", base.offset());
    values.put("rules", base.rules());
    values.put("leaseMs", base.leaseMs());
    if (base.initialCap() != null) {
      values.put("initialCap", base.initialCap());
    }
    // Only the order of the days; the amounts have separate rows.
    values.put(
        "days",
        state.parts().spending().days().stream()
            .map(day -> new Spending.Day(day.epochDay(), Map.of()))
            .toList());
    return new Row(HEAD, RecordJson.write(values));
  }

  private static Row lease(String session, @Nullable Lease lease) {
    return row("lease/" + session, "leases", lease);
  }

  private static Row spent(String request, @Nullable SpentRequest spent) {
    return row("spent/" + request, "spent", spent);
  }

  private static Row ref(String name, @Nullable Boolean yes) {
    return row("ref/" + name, "refs", yes == null ? null : name);
  }

  private static Row olderRef(String name, @Nullable Boolean yes) {
    return row("older-ref/" + name, "olderRefs", yes == null ? null : name);
  }

  private static Row hold(String ref, Spending.@Nullable Hold hold) {
    return row("hold/" + ref, "holds", hold);
  }

  private static Row row(String key, String list, @Nullable Object value) {
    return new Row(key, value == null ? null : RecordJson.write(Map.of(list, List.of(value))));
  }

  /** The rows whose number grows with operators, tenants and runners, not with sessions. */
  private static SortedMap<String, String> small(LedgerState state) {
    var rows = new TreeMap<String, String>();
    state
        .parts()
        .requests()
        .floors()
        .forEach((partition, floor) ->
            put(rows, "floor/" + partition, "floors", Map.of(partition, floor)));
    Operators operators = state.parts().operators();
    operators.caps().forEach((scope, cap) -> put(rows, "cap/" + scope, "caps", Map.of(scope, cap)));
    operators
        .pauses()
        .forEach((scope, pause) ->
            // Written as a tree, because in a list of unknown type it would lose its kind.
            put(rows, "pause/" + scope, "pauses", List.of(RecordJson.tree(pause))));
    operators
        .limits()
        .forEach((scope, limits) -> put(rows, "limit/" + scope, "limits", Map.of(scope, limits)));
    operators
        .last()
        .forEach((scope, at) -> put(rows, "operator/" + scope, "operators", Map.of(scope, at)));
    for (Spending.Day day : state.parts().spending().days()) {
      day.scopes()
          .forEach((scope, amount) ->
              put(
                  rows,
                  "day/" + day.epochDay() + "/" + scope,
                  "days",
                  List.of(new Spending.Day(day.epochDay(), Map.of(scope, amount)))));
    }
    for (Runners.Heard each : state.parts().runners().heard()) {
      put(rows, "runner/" + each.runner().id(), "runners", List.of(each));
    }
    return rows;
  }

  private static void put(Map<String, String> rows, String key, String name, Object value) {
    rows.put(key, RecordJson.write(Map.of(name, value)));
  }

  private static Stream<Spending.Hold> holds(Spending spending) {
    var holds = new ArrayList<Spending.Hold>();
    spending.held().forEach((ref, hold) -> holds.add(hold));
    return holds.stream().sorted(Comparator.comparing(Spending.Hold::ref));
  }

  private static Stream<String> names(PersistentMap<String, Boolean> set) {
    var names = new ArrayList<String>();
    set.forEach((name, yes) -> names.add(name));
    return names.stream().sorted();
  }
}
