package dev.flyball.triage.topology;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;

/**
 * Folds the ledger and writes to session-events, for each item, which claims took effect and which
 * leases ended, and, for all, which budgets are spent. It writes no terminal itself: the item's
 * task does, once it has read everything that came before the mark.
 */
final class LedgerProjector {
  private static final String SOURCE = "/triage";
  private static final int LONGEST_REASON = 1_000;

  private final ProcessorContext<byte[], byte[]> context;
  private final RecordSink sink;
  private final String ledgerTopic;
  private final LedgerFold ledger;
  private final BudgetWatch budgets;

  LedgerProjector(TriageTopology.Settings settings, ProcessorContext<byte[], byte[]> context) {
    KeyValueStore<String, byte[]> store = context.getStateStore(TriageTopology.LEDGER_FOLD);
    this.context = context;
    this.sink = new RecordSink(context, settings, TriageTopology.LEDGER);
    this.ledgerTopic = settings.topics().sessionLedger();
    this.ledger = new LedgerFold(store, ledgerTopic, settings.ledgerTopicId());
    this.budgets = new BudgetWatch(store);
  }

  void process(Record<byte[], byte[]> record) {
    RecordMetadata at = context.recordMetadata().orElseThrow();
    LedgerEntry entry;
    try {
      entry = read(record.value());
    } catch (UnreadableRecord e) {
      ledger.skip(at.offset());
      sink.deadLetter(record, String.valueOf(e.getMessage()));
      sink.flush();
      return;
    }
    Instant appendTime = Instant.ofEpochMilli(record.timestamp());
    Effect effect = ledger.fold(entry, at.offset(), appendTime);
    try {
      tell(effect);
      budgets.due(entry, effect, ledger.state(), appendTime, sink.now()).forEach(sink::event);
    } catch (RecordSink.TooLarge e) {
      sink.drop();
      sink.deadLetter(record, String.valueOf(e.getMessage()));
    }
    sink.flush();
  }

  private void tell(Effect effect) {
    switch (effect) {
      case Effect.Claimed claimed -> claimed(claimed.lease());
      case Effect.Released released -> released(released);
      case Effect.Expired expired ->
          ended(expired.lease(), "expired", Outcome.LOST, Receipt.unknown(), EventData.EMPTY);
      case Effect.UnknownRules unknown ->
          // Newer code skips nothing when it goes on from here.
          throw new LedgerFold.LedgerFault(
              ledgerTopic
                  + " is folded by rules "
                  + unknown.n()
                  + ", which this version does not know; start a newer version");
      case Effect.None _,
          Effect.Renewed _,
          Effect.Settled _,
          Effect.Changed _,
          Effect.Checkpointed _ -> {}
    }
  }

  private static LedgerEntry read(byte @Nullable [] value) {
    if (value == null) {
      throw new UnreadableRecord("a tombstone is no ledger entry");
    }
    return RecordJson.read(value, LedgerEntry.class);
  }

  private void claimed(Lease lease) {
    emit(lease, "-claimed", EventType.SESSION_CLAIMED, about(lease));
  }

  private void released(Effect.Released released) {
    LedgerEntry.Release release = released.release();
    EventData reported =
        EventData.EMPTY
            .with(Field.REASON, bounded(release.reason()))
            .with(Field.FAILURE, release.failure())
            .with(Field.EXIT_CODE, release.exit())
            .with(Field.SIGNAL, release.signal())
            .with(Field.WAITING_MS, release.timings().waitingMs())
            .with(Field.RUNNING_MS, release.timings().runningMs())
            .with(Field.REPORTING_MS, release.timings().reportingMs())
            .withAll(of(release.run()));
    ended(released.lease(), "released", release.outcome(), release.receipt(), reported);
  }

  /** The mark of a lease's end, with what the ledger booked and what its runner reported. */
  private void ended(Lease lease, String by, Outcome outcome, Receipt receipt, EventData reported) {
    EventData data =
        about(lease)
            .with(Field.OUTCOME, outcome.label())
            .with(Field.ENDED_BY, by)
            .with(Field.TOKENS, lease.tokens())
            .with(Field.COST_MICROS, lease.costMicros())
            .withAll(reported)
            .with(Field.LEVEL, receipt.level())
            .with(Field.RECEIPT, receipt)
            .with(Field.PROCESSES_PEAK, receipt.processesPeak())
            .with(Field.MEMORY_PEAK_BYTES, receipt.memoryPeakBytes())
            .with(Field.KILL_STEPS, receipt.killSteps())
            .with(Field.SURVIVORS, receipt.survivors());
    emit(lease, "-leaseEnded", EventType.SESSION_LEASE_ENDED, data);
  }

  private static EventData of(LedgerEntry.@Nullable AgentRun run) {
    return run == null
        ? EventData.EMPTY
        : EventData.EMPTY
            .with(Field.AGENT, run.agent())
            .with(Field.PROFILE, run.profile())
            .with(Field.AGENT_SESSION, run.session())
            .with(Field.HOME, run.home())
            .with(Field.REUSED, run.reused() == null ? null : run.reused().toString())
            .with(Field.MODEL, run.model())
            .with(Field.TURN, run.turn());
  }

  private static @Nullable String bounded(@Nullable String reason) {
    return reason == null || reason.length() <= LONGEST_REASON
        ? reason
        : reason.substring(0, LONGEST_REASON);
  }

  private EventData about(Lease lease) {
    return EventData.EMPTY
        .with(Field.SESSION, lease.session())
        .with(Field.TOKEN, ledger.token(lease).toString())
        .with(Field.REQUEST, lease.request())
        .with(Field.ITEM, lease.item().toString())
        .with(Field.TENANT, lease.item().tenant())
        .with(Field.RUNNER, lease.runner())
        .with(Field.ATTEMPT, lease.attempt());
  }

  private void emit(Lease lease, String suffix, EventType type, EventData data) {
    sink.event(
        new LifecycleEvent(
            lease.session() + suffix, type, SOURCE, lease.item().toString(), sink.now(), data));
  }

  /**
   * The only writer of budget events. Once for each UTC day and scope, it reports that a budget is
   * nearly spent, and once that it is. What it reported is kept in the store, in the same
   * transaction as the events, so that no restart reports it again.
   */
  static final class BudgetWatch {
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
      List<String> days =
          bytes == null ? List.of() : List.of(RecordJson.read(bytes, String[].class));
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
}
