package dev.flyball.triage.shadow;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.ShadowVerdict.Decided;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What triage decided, read from its events, and which snapshot each decision was about. An event
 * {@code item.triaged} does not say what followed; the next event of its item does. One thread.
 */
public final class PastDecisions {
  /** Most decisions that a run compares: with both verdicts about 50 MB, in a heap of 192 MB. */
  static final int MOST_DECISIONS = 20_000;

  /** Most items with events or snapshots, of which a run keeps their names and times. */
  static final int MOST_ITEMS = 100_000;

  /** Events that are read; others change nothing. */
  public static final Set<EventType> READ =
      Set.of(
          EventType.ITEM_CHANGED,
          EventType.ITEM_DUPLICATE,
          EventType.ITEM_TRIAGED,
          EventType.ITEM_SKIPPED,
          EventType.SESSION_REQUESTED,
          EventType.ITEM_DEAD_LETTERED,
          EventType.ITEM_SUPERSEDED,
          EventType.ITEM_CLOSED,
          EventType.ITEM_CANCELLED,
          EventType.ITEM_FORGOTTEN,
          EventType.SESSION_COMPLETED);

  private final Map<String, LifecycleEvent> triaged = new HashMap<>();
  private final Map<String, String> undecided = new TreeMap<>();
  private final Map<String, Instant> newest = new HashMap<>();
  private final Map<Snapshots, List<Decision>> decisions = new HashMap<>();
  private final List<Long> sessionMicros = new ArrayList<>();
  private int count;

  /** The snapshots of an item with one revision; a tracker without revisions gives all the same. */
  private record Snapshots(String item, String revision) {}

  /** A decision, and the place of its snapshot. */
  private static final class Decision {
    private final Decided decided;
    private @Nullable Position snapshot;

    Decision(Decided decided) {
      this.decided = decided;
    }
  }

  /** Reads an event; those of an item in their order. */
  public void read(LifecycleEvent event) {
    String item = event.subject();
    String revision = event.data().text(Field.REVISION).orElse("");
    newest.put(item, event.time());
    switch (event.type()) {
      case ITEM_CHANGED -> undecided.put(item, revision);
      case ITEM_TRIAGED -> triaged.put(item, event);
      case ITEM_SKIPPED -> {
        decided(item, false);
        undecided.remove(item, revision);
      }
      case SESSION_REQUESTED, ITEM_DEAD_LETTERED -> {
        decided(item, true);
        undecided.remove(item, revision);
      }
      case ITEM_SUPERSEDED, ITEM_CLOSED, ITEM_CANCELLED -> undecided.remove(item, revision);
      case ITEM_FORGOTTEN -> undecided.remove(item);
      case SESSION_COMPLETED ->
          event.data().number(Field.COST_MICROS).ifPresent(sessionMicros::add);
      default -> {}
    }
  }

  private void decided(String item, boolean session) {
    LifecycleEvent verdict = triaged.remove(item);
    if (verdict == null) {
      return;
    }
    var key = new Snapshots(item, verdict.data().text(Field.REVISION).orElse(""));
    var decided =
        new Decided(
            session,
            verdict.data().text(Field.REASON).orElse(""),
            verdict.data().text(Field.MODEL).orElse(""),
            verdict.data().text(Field.BATCH).orElse(""),
            verdict.data().number(Field.COST_MICROS).orElse(0),
            verdict.time());
    decisions.computeIfAbsent(key, _ -> new ArrayList<>()).add(new Decision(decided));
    count++;
  }

  /** What there is too much of to be kept in memory, for a person; empty if it is not too much. */
  public Optional<String> tooMuch() {
    if (count > MOST_DECISIONS) {
      return Optional.of("more than " + MOST_DECISIONS + " decisions");
    }
    return Math.max(newest.size(), undecided.size()) > MOST_ITEMS
        ? Optional.of("more than " + MOST_ITEMS + " items")
        : Optional.empty();
  }

  /**
   * Notes the place of a snapshot; those of an item in their order, after all events. A decision is
   * about the newest snapshot of its revision that was written before it. One that was written
   * after every event of its item was not read by triage yet.
   */
  public void snapshot(String item, String revision, Position place, Instant written) {
    for (Decision each : decisions.getOrDefault(new Snapshots(item, revision), List.of())) {
      if (each.snapshot == null || !written.isAfter(each.decided.at())) {
        each.snapshot = place;
      }
    }
    Instant last = newest.get(item);
    if (last == null || written.isAfter(last)) {
      undecided.put(item, revision);
    }
  }

  /** The decisions by the places of their snapshots; of several about one the newest. */
  public Map<Position, Decided> bySnapshot() {
    var found = new HashMap<Position, Decided>();
    decisions.values().stream()
        .flatMap(List::stream)
        .sorted(Comparator.comparing(each -> each.decided.at()))
        .forEach(each -> {
          if (each.snapshot != null) {
            found.put(each.snapshot, each.decided);
          }
        });
    return found;
  }

  /** How many decisions have no snapshot any more, or one that is older than what was read. */
  public int withoutSnapshot() {
    return (int)
        decisions.values().stream()
            .flatMap(List::stream)
            .filter(each -> each.snapshot == null)
            .count();
  }

  /** Items with a change that waits for its verdict, with the revision, in the order of keys. */
  public Map<String, String> undecided() {
    return Map.copyOf(undecided);
  }

  /** What completed sessions cost, in micro-dollars; sessions of unknown cost are left out. */
  public List<Long> sessionMicros() {
    return List.copyOf(sessionMicros);
  }
}
