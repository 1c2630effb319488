package dev.flyball.runner.protocol;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * This runner's turns at the requests of one search after another, by {@link RunnerCount#rank}. A
 * request waits for {@link LeaseNanos#untilTurn}, from the first search that found it. So one
 * runner claims it first, and several free runners claim several requests at the same time.
 */
final class ClaimTurns implements ClaimSource.Turns {
  /** Time for the claim of a runner that goes first to reach the others, nanoseconds. */
  private static final long FIRST_SENDS = 2_000_000_000L;

  private final LeaseNanos nanos;
  private final RunnerCount runners;

  /** The requests that the search before found. */
  private Map<ItemKey, Turn> before = Map.of();

  private Map<ItemKey, Turn> found = new HashMap<>();
  private LedgerState ledger = LedgerState.empty();
  private String self = "";
  private long now;
  private long next = Long.MAX_VALUE;

  ClaimTurns(LeaseNanos nanos, RunnerCount runners) {
    this.nanos = nanos;
    this.runners = runners;
  }

  private record Turn(long since, int rank) {}

  /** Begins a search; what the search before did not find is forgotten. */
  void begin(LedgerState searched, String runner, long at) {
    ledger = searched;
    self = runner;
    now = at;
    before = found;
    found = new HashMap<>();
    next = Long.MAX_VALUE;
  }

  /** Forgets all requests: a permit that is free later begins the turns again. */
  void forget() {
    found = new HashMap<>();
    next = Long.MAX_VALUE;
  }

  /** When a search finds a request whose turn was not come yet; the maximum if it found none. */
  long next() {
    return next;
  }

  @Override
  public boolean mayClaim(ItemKey item, String profile, Predicate<String> first) {
    Turn turn = found.get(item);
    if (turn == null) {
      turn = before.get(item);
      turn = turn == null ? drawn(item, profile) : turn;
      found.put(item, turn);
    }
    long begins =
        turn.since() + (goesFirst(item, profile, first) ? nanos.stagger + FIRST_SENDS : 0);
    long at = begins + nanos.untilTurn(turn.rank());
    if (now < at) {
      next = Math.min(next, at);
    }
    return now >= at;
  }

  private Turn drawn(ItemKey item, String profile) {
    return new Turn(
        now, runners.rank(now, item.toString(), self, it -> couldClaim(it, item, profile)));
  }

  /**
   * Whether another runner goes first: a session that would go on with one stored elsewhere would
   * begin again here and read the code a second time. The turns of the others begin after that
   * moment, or all of them would claim together.
   */
  private boolean goesFirst(ItemKey item, String profile, Predicate<String> first) {
    return !first.test(self)
        && runners.any(now, it -> first.test(it.id()) && couldClaim(it, item, profile));
  }

  private boolean couldClaim(LedgerEntry.Runner runner, ItemKey item, String profile) {
    return ledger.refusal(runner, profile, item.sourceKey()).isEmpty();
  }
}
