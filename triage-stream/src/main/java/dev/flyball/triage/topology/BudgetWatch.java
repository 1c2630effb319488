package dev.flyball.triage.topology;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The only writer of budget events. Once for each UTC day and scope, it reports that a budget is
 * nearly spent, and once that it is. What it reported is kept in the store, in the same transaction
 * as the events, so that no restart reports it again.
 */
final class BudgetWatch {
  private static final String SOURCE = "/triage";

  /** The subject of events that belong to no item. */
  private static final String SUBJECT = "-";

  private static final String TENANT = "tenant:";

  /** The broker's clock may step, so the days reported last are kept, not the newest days. */
  private static final int DAYS_KEPT = 3;

  private final KeyValueStore<String, byte[]> store;

  BudgetWatch(KeyValueStore<String, byte[]> store) {
    this.store = store;
  }

  /** Returns the events that follow from this entry and its effect. */
  List<LifecycleEvent> due(
      LedgerEntry entry, Effect effect, LedgerState state, Instant appendTime, Instant now) {
    if (effect instanceof Effect.Changed
        && entry instanceof LedgerEntry.Pause pause
        && pause.accountExhausted()) {
      // Each pause is a separate entry, so its offset makes the event's id unique.
      String id = state.offset() + "-exhausted";
      return List.of(event(EventType.BUDGET_EXHAUSTED, pause.scope(), id, pause.why(), now));
    }
    return switch (effect) {
      case Effect.Renewed _, Effect.Changed _ -> due(state, 0, appendTime, now);
      case Effect.Released released -> due(state, released.lease().reserve(), appendTime, now);
      case Effect.Expired expired -> due(state, expired.lease().reserve(), appendTime, now);
      case Effect.None _,
          Effect.Claimed _,
          Effect.Settled _,
          Effect.UnknownRules _,
          Effect.Checkpointed _ ->
          List.of();
    };
  }

  private List<LifecycleEvent> due(LedgerState state, long reserve, Instant at, Instant now) {
    var events = new ArrayList<LifecycleEvent>();
    String day = LocalDate.ofInstant(at, ZoneOffset.UTC).toString();
    for (BudgetUse use : state.budgets(at)) {
      boolean spent = use.spent(reserve, state.live(use.scope()));
      // A budget that was spent before it was nearly spent has no warning.
      if ((use.warns() || spent) && first(use.scope(), "warned", day) && use.warns()) {
        events.add(event(EventType.BUDGET_WARNED, use.scope(), day + "-warned", use.text(), now));
      }
      if (spent && first(use.scope(), "exhausted", day)) {
        events.add(
            event(EventType.BUDGET_EXHAUSTED, use.scope(), day + "-exhausted", use.text(), now));
      }
    }
    return events;
  }

  /** Whether this was not reported on this UTC day; from now on it has been. */
  private boolean first(String scope, String word, String day) {
    String key = "budget:" + scope + " " + word;
    byte[] bytes = store.get(key);
    List<String> days = bytes == null ? List.of() : List.of(RecordJson.read(bytes, String[].class));
    if (days.contains(day)) {
      return false;
    }
    List<String> kept = Stream.concat(Stream.of(day), days.stream()).limit(DAYS_KEPT).toList();
    store.put(key, RecordJson.bytes(kept));
    return true;
  }

  private static LifecycleEvent event(
      EventType type, String scope, String id, String reason, Instant now) {
    EventData data = EventData.EMPTY.with(Field.SCOPE, scope).with(Field.REASON, reason);
    if (scope.startsWith(TENANT)) {
      data = data.with(Field.TENANT, scope.substring(TENANT.length()));
    }
    return new LifecycleEvent("budget-" + scope + "-" + id, type, SOURCE, SUBJECT, now, data);
  }
}
