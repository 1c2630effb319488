package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.HashTreePSet;
import org.pcollections.PMap;
import org.pcollections.PSet;

/**
 * Builds a ledger state from its pieces; the one with the head comes first. Used once, by one
 * thread.
 */
public final class LedgerAssembly {
  private @Nullable SavedState head;
  private Leases leases = Leases.NONE;
  private PMap<String, SpentRequest> spent = HashTreePMap.empty();
  private final Map<Integer, Long> floors = new HashMap<>();
  private final Map<String, Integer> caps = new HashMap<>();
  private final Map<String, LedgerEntry.Pause> pauses = new HashMap<>();
  private final Map<String, Limits> limits = new HashMap<>();
  private final Map<String, Long> operators = new HashMap<>();
  private final Map<Long, Map<String, Spending.Amount>> days = new LinkedHashMap<>();
  private PSet<String> refs = HashTreePSet.empty();
  private PSet<String> olderRefs = HashTreePSet.empty();
  private PMap<String, Spending.Hold> holds = HashTreePMap.empty();
  private final List<Runners.Heard> runners = new ArrayList<>();
  private @Nullable LedgerState stopped;

  /** Creates an empty assembly. */
  public LedgerAssembly() {}

  /**
   * Adds a piece.
   *
   * @throws UnreadableRecord if it has another shape
   */
  public void add(byte[] json) {
    add(RecordJson.read(json, JsonNode.class));
  }

  /**
   * Adds a piece. Of a state with newer rules only the first piece is read, because the others may
   * have any shape.
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
      spent = spent.plus(each.request(), each);
    }
    floors.putAll(piece.floors());
    caps.putAll(piece.caps());
    piece.pauses().forEach(pause -> pauses.put(pause.scope(), pause));
    limits.putAll(piece.limits());
    operators.putAll(piece.operators());
    for (Spending.Day day : piece.days()) {
      days.computeIfAbsent(day.epochDay(), key -> new HashMap<>()).putAll(day.scopes());
    }
    refs = refs.plusAll(piece.refs());
    olderRefs = olderRefs.plusAll(piece.olderRefs());
    for (Spending.Hold hold : piece.holds()) {
      holds = holds.plus(hold.ref(), hold);
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
          "a saved ledger state's digest is " + digest + ", its pieces' is " + state.digest());
    }
    return state;
  }

  private LedgerState.Parts parts() {
    var spendDays = new ArrayList<Spending.Day>();
    days.forEach((day, scopes) -> spendDays.add(new Spending.Day(day, scopes)));
    runners.sort(Comparator.comparingLong(Runners.Heard::order));
    return new LedgerState.Parts(
        leases,
        new Requests(spent, Map.copyOf(floors)),
        new Operators(
            Map.copyOf(caps), Map.copyOf(pauses), Map.copyOf(limits), Map.copyOf(operators)),
        new Spending(spendDays, refs, olderRefs, holds),
        new Runners(runners));
  }
}
