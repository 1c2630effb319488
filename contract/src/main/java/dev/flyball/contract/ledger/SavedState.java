package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A ledger state as JSON, or a piece of one. Pieces add up, and the head comes first: it alone has
 * the single values. A piece omits what it does not hold. {@link LedgerAssembly} builds the state.
 */
record SavedState(
    @Nullable Long offset,
    @Nullable Integer rules,
    @Nullable Integer initialCap,
    @Nullable Long leaseMs,
    List<Lease> leases,
    List<SpentRequest> spent,
    Map<Integer, Long> floors,
    Map<String, Integer> caps,
    List<LedgerEntry.Pause> pauses,
    Map<String, Limits> limits,
    Map<String, Long> operators,
    List<Spending.Day> days,
    List<String> refs,
    List<String> olderRefs,
    List<Spending.Hold> holds,
    List<Runners.Heard> runners) {

  // Jackson sets to null what a piece does not hold.
  @SuppressWarnings("NullAway")
  SavedState {
    leases = listOf(leases);
    spent = listOf(spent);
    floors = mapOf(floors);
    caps = mapOf(caps);
    pauses = listOf(pauses);
    limits = mapOf(limits);
    operators = mapOf(operators);
    days = listOf(days);
    refs = listOf(refs);
    olderRefs = listOf(olderRefs);
    holds = listOf(holds);
    runners = listOf(runners);
  }

  /** The whole state in one piece: for a file, not for a topic. */
  static LedgerSnapshot whole(LedgerState state) {
    ObjectNode whole = JsonNodeFactory.instance.objectNode();
    facts(state).forEach(fact -> merge(whole, fact));
    return new LedgerSnapshot(state.digest(), whole);
  }

  /** Every fact as a piece, in a fixed order, made one by one as they are taken. */
  static Stream<JsonNode> facts(LedgerState state) {
    Requests requests = state.parts().requests();
    Operators operators = state.parts().operators();
    Spending spending = state.parts().spending();
    return Stream.of(
            Stream.of(head(state)),
            map("floors", requests.floors()),
            map("caps", operators.caps()),
            // As trees, because in a list of unknown type they would lose their kind.
            list("pauses", sorted(operators.pauses()).values().stream().map(RecordJson::tree)),
            map("limits", operators.limits()),
            map("operators", operators.last()),
            spending.days().stream().flatMap(SavedState::amounts),
            list("runners", state.parts().runners().heard().stream()),
            list("leases", sorted(state.parts().leases().all(), Lease::claimedAt)),
            list("spent", sorted(requests.spent().values(), SpentRequest::request)),
            list("refs", spending.refs().stream().sorted()),
            list("olderRefs", spending.olderRefs().stream().sorted()),
            list("holds", sorted(spending.held().values(), Spending.Hold::ref)))
        // Not flatMap, whose iterator makes all facts of a kind before it returns the first.
        .reduce(Stream.empty(), Stream::concat);
  }

  private static JsonNode head(LedgerState state) {
    LedgerState.Base base = state.base();
    var values = new TreeMap<String, Object>();
    values.put("offset", base.offset());
    values.put("rules", base.rules());
    values.put("leaseMs", base.leaseMs());
    if (base.initialCap() != null) {
      values.put("initialCap", base.initialCap());
    }
    // Only the order of the days; the amounts are separate facts.
    values.put(
        "days",
        state.parts().spending().days().stream()
            .map(day -> new Spending.Day(day.epochDay(), Map.of()))
            .toList());
    return RecordJson.tree(values);
  }

  private static Stream<JsonNode> amounts(Spending.Day day) {
    return list(
        "days",
        day.scopes().entrySet().stream()
            .map(each -> new Spending.Day(day.epochDay(), Map.of(each.getKey(), each.getValue()))));
  }

  private static Stream<JsonNode> list(String name, Stream<?> values) {
    return values.map(value -> RecordJson.tree(Map.of(name, List.of(value))));
  }

  private static Stream<JsonNode> map(String name, Map<?, ?> values) {
    return sorted(values).entrySet().stream()
        .map(each -> RecordJson.tree(Map.of(name, Map.of(each.getKey(), each.getValue()))));
  }

  private static <K, V> Map<K, V> sorted(Map<K, V> values) {
    return new TreeMap<>(values);
  }

  private static <T, K extends Comparable<? super K>> Stream<T> sorted(
      Collection<T> values, Function<T, K> by) {
    return values.stream().sorted(Comparator.comparing(by));
  }

  /** Adds a fact to a piece. */
  static void merge(ObjectNode piece, JsonNode fact) {
    for (Map.Entry<String, JsonNode> each : fact.properties()) {
      JsonNode there = piece.get(each.getKey());
      switch (there) {
        case ArrayNode list when each.getValue() instanceof ArrayNode more -> list.addAll(more);
        case ObjectNode map when each.getValue() instanceof ObjectNode more -> map.setAll(more);
        case null, default -> piece.set(each.getKey(), each.getValue());
      }
    }
  }

  private static <T> List<T> listOf(@Nullable List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  private static <K, V> Map<K, V> mapOf(@Nullable Map<K, V> map) {
    return map == null ? Map.of() : Map.copyOf(map);
  }
}
