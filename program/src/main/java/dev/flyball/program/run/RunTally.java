package dev.flyball.program.run;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Folds the topics into what a run shows: whether everything is settled, and the figures of this
 * run. "This run" is what was written after the marks that were taken before it began; everything
 * before only gives the states. Pure; used by one thread.
 */
final class RunTally {
  private final Map<String, Published> published = new HashMap<>();
  private final Map<String, ItemState> states = new TreeMap<>();
  private final Map<String, Analysis> analyses = new HashMap<>();
  private final RunItems share = new RunItems();

  /** Snapshots of this run to which triage has not reacted yet, by item. */
  private final Map<String, Integer> unheard = new HashMap<>();

  /** Items that an operator forgot, and that did not change since. */
  private final Set<String> forgotten = new HashSet<>();

  private final Set<String> withoutTerminal = new HashSet<>();
  private final Set<String> begunBefore = new HashSet<>();
  private final Set<String> terminals = new HashSet<>();
  private final Set<String> batches = new HashSet<>();
  private final Map<String, Integer> sessions = new HashMap<>();
  private final Map<EventType, Integer> events = new HashMap<>();
  private LedgerState ledger = LedgerState.empty();
  private int analysed;
  private int inherited;
  private long costMicros;

  /** The newest record of an item in work-items. */
  private record Published(int partition, long offset, Fingerprint fingerprint) {}

  void workItem(String key, Snapshot snapshot, int partition, long offset, boolean thisRun) {
    if (snapshot.newest()) {
      published.put(key, new Published(partition, offset, snapshot.fingerprint()));
    }
    if (thisRun) {
      share.published(key);
      unheard.merge(key, 1, Integer::sum);
    }
  }

  void state(String key, @Nullable ItemState state, boolean thisRun) {
    if (state == null) {
      states.remove(key);
      if (!thisRun) {
        share.before(key, false);
      }
      return;
    }
    states.put(key, state);
    if (!thisRun) {
      share.before(key, unfinished(state));
    }
  }

  void analysis(String key, Analysis analysis, boolean thisRun) {
    analyses.put(key, analysis);
    if (thisRun) {
      analysed++;
    }
  }

  /**
   * The ledger's state at the beginning of its reading: leases in a checkpoint wait for their
   * terminal events too.
   */
  void ledger(LedgerState start) {
    ledger = start;
    start.leases().forEach(lease -> withoutTerminal.add(lease.session()));
  }

  /** The ledger was read to its end: sessions that are open now belong to an earlier run. */
  void begins() {
    begunBefore.addAll(withoutTerminal);
  }

  /**
   * Folds an entry. A claim that takes effect waits for its terminal event from here on, in this
   * run or before it.
   */
  void ledger(LedgerEntry entry, long offset, Instant appended) {
    Folded folded = ledger.fold(entry, offset, appended);
    ledger = folded.state();
    if (folded.effect() instanceof Effect.Claimed claimed
        && !terminals.contains(claimed.lease().session())) {
      withoutTerminal.add(claimed.lease().session());
    }
  }

  void event(LifecycleEvent event, boolean thisRun) {
    if (event.type().terminal()) {
      event.data().text(Field.SESSION).ifPresent(this::ended);
    }
    if (event.type() == EventType.ITEM_FORGOTTEN) {
      forgotten.add(event.subject());
    } else if (event.type() == EventType.ITEM_CHANGED) {
      forgotten.remove(event.subject());
    }
    if (!thisRun) {
      return;
    }
    events.merge(event.type(), 1, Integer::sum);
    // Triage writes exactly one of the two for every snapshot that it processes.
    if (event.type() == EventType.ITEM_CHANGED || event.type() == EventType.ITEM_DUPLICATE) {
      unheard.merge(event.subject(), -1, Integer::sum);
    }
    if (event.type() == EventType.ITEM_CHANGED) {
      share.changed(event.subject());
    }
    if (event.type().terminal()) {
      inherited +=
          event.data().text(Field.SESSION).filter(begunBefore::contains).isPresent() ? 1 : 0;
      event.data().text(Field.OUTCOME).ifPresent(it -> sessions.merge(it, 1, Integer::sum));
      costMicros += event.data().number(Field.COST_MICROS).orElse(0);
    }
    if (event.type() == EventType.ITEM_TRIAGED) {
      event.data().text(Field.BATCH).ifPresent(batches::add);
    }
  }

  /**
   * Whether everything is settled, so that nothing will happen by itself. The caller makes sure
   * that everything was read.
   */
  boolean settled() {
    return unsettled() == 0 && ledger.live() == 0 && withoutTerminal.isEmpty();
  }

  /** Number of items that are not settled yet, including those that triage has not seen yet. */
  int unsettled() {
    return open().size();
  }

  private Set<String> open() {
    var open = new HashSet<String>();
    published.forEach((key, record) -> {
      if (!takenIn(key, record)) {
        open.add(key);
      }
    });
    states.forEach((key, state) -> {
      if (unfinished(state)) {
        open.add(key);
      }
    });
    return open;
  }

  private static boolean unfinished(ItemState state) {
    return !state.phase().settled() || state.pending() != null;
  }

  /**
   * Whether every remaining item waits for a session, and none can ever start because the cap is 0.
   */
  boolean capZero() {
    return ledger.initialized()
        && ledger.cap() == 0
        && ledger.live() == 0
        && withoutTerminal.isEmpty()
        && unsettled() > 0
        && published.entrySet().stream().allMatch(each -> takenIn(each.getKey(), each.getValue()))
        && states.values().stream().map(ItemState::phase).allMatch(RunTally::waitsForSession);
  }

  /**
   * The pause that holds up waiting items while no session runs, with the operator and the reason;
   * empty if there is none.
   */
  Optional<String> paused(Instant now) {
    boolean waiting =
        states.values().stream().anyMatch(state -> state.phase() instanceof ItemPhase.Queued);
    if (!waiting || ledger.live() > 0) {
      return Optional.empty();
    }
    return ledger.pauses(now).stream()
        .map(it -> it.scope() + " is paused by " + it.who() + ": " + it.why())
        .findFirst();
  }

  private static boolean waitsForSession(ItemPhase phase) {
    return phase.settled()
        || phase instanceof ItemPhase.Queued
        || phase instanceof ItemPhase.Failed;
  }

  /** Number of items of this run. */
  int items() {
    return share.with(open()).size();
  }

  /** Number of items of this run by phase name. */
  Map<String, Integer> phases() {
    return phases(key -> true);
  }

  /** The same for the items that changed. */
  Map<String, Integer> changed() {
    return phases(share::hasChanged);
  }

  /** The same for the items that an earlier run left unfinished. */
  Map<String, Integer> continued() {
    return phases(share::continued);
  }

  private Map<String, Integer> phases(Predicate<String> which) {
    var phases = new TreeMap<String, Integer>();
    for (String key : share.with(open())) {
      if (which.test(key)) {
        ItemState state = states.get(key);
        phases.merge(state == null ? "seen" : state.phase().word(), 1, Integer::sum);
      }
    }
    return phases;
  }

  int live() {
    return ledger.live();
  }

  /**
   * When the next failed item is due, for the progress line; one that is due continues by itself.
   */
  Optional<Instant> nextDue(Instant now) {
    return states.values().stream()
        .map(ItemState::phase)
        .filter(ItemPhase.Failed.class::isInstance)
        .map(phase -> ((ItemPhase.Failed) phase).due())
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }

  /** One row for each item of this run, in the order in which they were first seen. */
  List<RunRow> rows() {
    var rows = new ArrayList<RunRow>();
    for (String key : share.with(open())) {
      ItemState state = states.get(key);
      if (state != null) {
        rows.add(RunRow.of(key, state, analyses.get(key)));
      }
    }
    return rows;
  }

  /** Items of this data folder that were given up, with their reasons. */
  Map<String, String> dead() {
    var dead = new TreeMap<String, String>();
    states.forEach((key, state) -> {
      if (state.phase() instanceof ItemPhase.Dead given) {
        dead.put(key, given.reason());
      }
    });
    return dead;
  }

  /**
   * The report.
   *
   * @param maxConcurrent the most process trees that lived at the same time, as the runner counted
   *     them
   */
  RunReport report(Polled polled, int maxConcurrent, long durationMs) {
    return new RunReport(
        polled.items(),
        polled.lines(),
        polled.invalid(),
        polled.heldBack() + count(EventType.ITEM_DUPLICATE),
        batches.size(),
        sessions,
        maxConcurrent,
        analysed,
        durationMs,
        count(EventType.ITEM_CHANGED),
        count(EventType.ITEM_SUPERSEDED),
        phases(),
        continued().values().stream().mapToInt(Integer::intValue).sum(),
        dead().size(),
        costMicros);
  }

  /** The figures of the poll of the file. */
  record Polled(int items, int lines, int invalid, int heldBack) {}

  private void ended(String session) {
    terminals.add(session);
    withoutTerminal.remove(session);
  }

  private int count(EventType type) {
    return events.getOrDefault(type, 0);
  }

  /**
   * Whether triage has processed a record. It has if the item's state is at that record or later. A
   * duplicate's record leaves no trace in the state, so it also counts if the content is the known
   * one and triage has reacted to every snapshot of this run.
   */
  private boolean takenIn(String key, Published record) {
    ItemState state = states.get(key);
    if (state == null) {
      return forgotten.contains(key) && unheard.getOrDefault(key, 0) <= 0;
    }
    boolean reached =
        state.at().partition() == record.partition() && state.at().offset() >= record.offset();
    return reached
        || (state.snapshot().fingerprint().equals(record.fingerprint())
            && unheard.getOrDefault(key, 0) <= 0);
  }

  /** The numbers of sessions by outcome, for the summary line. */
  String sessionsLine() {
    var words = new ArrayList<String>();
    for (Outcome outcome : Outcome.values()) {
      int count = sessions.getOrDefault(outcome.label(), 0);
      if (count > 0) {
        words.add(count + " " + outcome.label());
      }
    }
    String line = words.isEmpty() ? "no session" : String.join(", ", words);
    return inherited == 0 ? line : line + ", " + inherited + " of them begun by an earlier run";
  }
}
