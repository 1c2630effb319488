package dev.flyball.ops.console.view;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.text.OneLine;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * How far a run is.
 *
 * @param items the run's items by key: those that an earlier run left, then those that changed, in
 *     the order of their first change
 * @param ahead whether triage has not processed all snapshots yet
 * @param ledger the ledger as far as it was read
 * @param due when failed items are due
 */
public record RunStatus(
    Map<String, Item> items, boolean ahead, LedgerState ledger, List<Instant> due) {

  /** Nothing was read yet. */
  public static final RunStatus NOTHING =
      new RunStatus(Map.of(), false, LedgerState.empty(), List.of());

  public RunStatus {
    items = Collections.unmodifiableMap(new LinkedHashMap<>(items));
    due = List.copyOf(due);
  }

  /**
   * One item of a run.
   *
   * @param state its state's name, {@code seen} before triage made one
   * @param open whether it is not settled yet
   * @param changed whether its content changed in this run
   * @param continued whether an earlier run left it unfinished, and it did not change since
   */
  public record Item(String state, boolean open, boolean changed, boolean continued) {
    /** Whether only a session can settle it. */
    private boolean waitsForSession() {
      return state.equals("queued") || state.equals("failed");
    }
  }

  /** Whether nothing happens any more without new input. */
  public boolean settled() {
    return unsettled() == 0 && ledger.live() == 0;
  }

  /** Number of items that are not settled yet. */
  public int unsettled() {
    return (int) items.values().stream().filter(Item::open).count();
  }

  /** Whether every remaining item waits for a session, and none can ever start: the cap is 0. */
  public boolean capZero() {
    return ledger.initialized() && ledger.cap() == 0 && onlySessionsAreMissing();
  }

  /** Whether every remaining item waits for a session, and none is live. */
  public boolean onlySessionsAreMissing() {
    return ledger.live() == 0
        && !ahead
        && unsettled() > 0
        && items.values().stream().filter(Item::open).allMatch(Item::waitsForSession);
  }

  /**
   * The pause that holds up waiting items while no session runs, with the operator and the reason;
   * empty if there is none.
   */
  public Optional<String> paused(Instant now) {
    return ledger.live() > 0
            || items.values().stream().noneMatch(item -> item.state().equals("queued"))
        ? Optional.empty()
        : ledger.pauses(now).stream()
            .map(it -> OneLine.of(it.scope() + " is paused by " + it.who() + ": " + it.why()))
            .findFirst();
  }

  /** When the next failed item is due; one that is due already continues by itself. */
  public Optional<Instant> nextDue(Instant now) {
    return due.stream().filter(now::isBefore).min(Instant::compareTo);
  }

  /** Number of these items by state. */
  public Map<String, Integer> states(Predicate<Item> which) {
    var states = new TreeMap<String, Integer>();
    items.values().stream()
        .filter(which)
        .forEach(item -> states.merge(item.state(), 1, Integer::sum));
    return states;
  }
}
