package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A ledger state as JSON, or a piece of one. {@link LedgerRows} writes pieces of one fact each, and
 * pieces add up. A piece omits what it does not hold; only the head has the single values.
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
    runners = listOf(runners);
  }

  /** The whole state in one piece: for a file, not for a topic. */
  static LedgerSnapshot whole(LedgerState state) {
    ObjectNode whole = JsonNodeFactory.instance.objectNode();
    LedgerRows.of(state).forEach(row -> merge(whole, row));
    return new LedgerSnapshot(state.digest(), whole);
  }

  /** Adds a row to a piece. */
  static void merge(ObjectNode piece, LedgerRows.Row row) {
    if (row.json() == null) {
      return;
    }
    for (Map.Entry<String, JsonNode> each : RecordJson.parse(row.json()).properties()) {
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
