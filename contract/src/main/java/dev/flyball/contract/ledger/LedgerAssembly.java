package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds a ledger state from its rows, or from pieces of JSON that hold several. The row {@link
 * LedgerRows#HEAD} comes first, the others in any order. Used once, by one thread.
 */
public final class LedgerAssembly {
  private @Nullable SavedState head;
  private Leases leases = Leases.NONE;
  private PersistentMap<String, SpentRequest> spent = PersistentMap.empty();
  private final Map<Integer, Long> floors = new HashMap<>();
  private final Map<String, Integer> caps = new HashMap<>();
  private final Map<String, LedgerEntry.Pause> pauses = new HashMap<>();
  private final Map<String, Limits> limits = new HashMap<>();
  private final Map<String, Long> operators = new HashMap<>();
  private final Map<Long, Map<String, Spending.Amount>> days = new LinkedHashMap<>();
  private PersistentMap<String, Boolean> refs = PersistentMap.empty();
  private PersistentMap<String, Boolean> olderRefs = PersistentMap.empty();
  private PersistentMap<String, Spending.Hold> holds = PersistentMap.empty();
  private final List<Runners.Heard> runners = new ArrayList<>();
  private @Nullable LedgerState stopped;

  /** Creates an empty assembly. */
  public LedgerAssembly() {}

  /**
   * Adds a row or a piece.
   *
   * @throws UnreadableRecord if it has another shape
   */
  public void add(byte[] json) {
    add(RecordJson.read(json, JsonNode.class));
  }

  /**
   * Adds a row or a piece. Of a state with newer rules only the first piece is read, because the
   * others may have any shape.
   *
   * @throws UnreadableRecord if it has another shape
   */
  public void add(JsonNode piece) {
    int rules = piece.path("rules").asInt(0);
    if (rules > LedgerState.RULES) {
      stopped = LedgerState.stopped(piece.path("offset").asLong(-1), rules);
    }
    if (stopped == null) {
      add(RecordJson.fromTree(piece, SavedState.class));
    }
  }

  private void add(SavedState piece) {
    if (piece.offset() != null) {
      head = piece;
    }
    for (Lease lease : piece.leases()) {
      leases = leases.with(lease);
    }
    for (SpentRequest each : piece.spent()) {
      spent = spent.with(each.request(), each);
    }
    floors.putAll(piece.floors());
    caps.putAll(piece.caps());
    piece.pauses().forEach(pause -> pauses.put(pause.scope(), pause));
    limits.putAll(piece.limits());
    operators.putAll(piece.operators());
    for (Spending.Day day : piece.days()) {
      days.computeIfAbsent(day.epochDay(), key -> new HashMap<>()).putAll(day.scopes());
    }
    for (String ref : piece.refs()) {
      refs = refs.with(ref, true);
    }
    for (String ref : piece.olderRefs()) {
      olderRefs = olderRefs.with(ref, true);
    }
    for (Spending.Hold hold : piece.holds()) {
      holds = holds.with(hold.ref(), hold);
    }
    runners.addAll(piece.runners());
  }

  /**
   * Returns the state.
   *
   * @param digest the digest that it must have; see {@link LedgerState#digest}
   * @throws UnreadableRecord if its head is missing, or its digest differs
   */
  public LedgerState state(String digest) {
    if (stopped != null) {
      return stopped;
    }
    if (head == null || head.offset() == null || head.rules() == null || head.leaseMs() == null) {
      throw new UnreadableRecord("a saved ledger state has no head");
    }
    long offset = head.offset();
    var base =
        new LedgerState.Base(offset, head.rules(), head.initialCap(), head.leaseMs(), offset);
    LedgerState state = LedgerState.of(base, parts());
    if (!state.digest().equals(digest)) {
      throw new UnreadableRecord(
          "a saved ledger state's digest is " + digest + ", its rows' is " + state.digest());
    }
    return state;
  }

  private LedgerParts parts() {
    var spendDays = new ArrayList<Spending.Day>();
    days.forEach((day, scopes) -> spendDays.add(new Spending.Day(day, scopes)));
    runners.sort(Comparator.comparingLong(Runners.Heard::order));
    return new LedgerParts(
        leases,
        new Requests(spent, Map.copyOf(floors)),
        new Operators(
            Map.copyOf(caps), Map.copyOf(pauses), Map.copyOf(limits), Map.copyOf(operators)),
        new Spending(spendDays, refs, olderRefs, holds),
        new Runners(runners));
  }

  /**
   * A ledger state as JSON, or a piece of one. {@link LedgerRows} writes pieces of one fact each,
   * and pieces add up. A piece omits what it does not hold; only the head has the single values.
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
}
