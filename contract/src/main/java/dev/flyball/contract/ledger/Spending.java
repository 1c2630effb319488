package dev.flyball.contract.ledger;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The spend, by UTC day of the append time and by scope. The broker's clock may step, so the days
 * touched last are kept, not only the newest: after a clock jumped a week ahead and back, today's
 * spend is still there.
 *
 * @param days the days touched last, newest touch first
 * @param refs the refs booked lately; with {@code olderRefs} they ensure that a repeated spend is
 *     booked once
 */
record Spending(
    List<Day> days, PersistentMap<String, Boolean> refs, PersistentMap<String, Boolean> olderRefs) {
  static final int DAYS_KEPT = 3;

  /**
   * Refs in one generation. A repeat follows its first within minutes; this many calls take days.
   */
  static final int REFS_KEPT = 2048;

  static final Spending NONE =
      new Spending(List.of(), PersistentMap.empty(), PersistentMap.empty());

  Spending {
    days = List.copyOf(days);
  }

  /** One day's spend by scope. */
  record Day(long epochDay, Map<String, Amount> scopes) {
    Day {
      // Sorted, so that equal states give equal texts.
      scopes = Collections.unmodifiableMap(new TreeMap<>(scopes));
    }
  }

  /** Micro-dollars and tokens. */
  record Amount(long costMicros, long tokens) {
    static final Amount ZERO = new Amount(0, 0);

    Amount plus(long cost, long more) {
      return new Amount(saturated(costMicros, cost), saturated(tokens, more));
    }
  }

  static long day(Instant appendTime) {
    return appendTime.atZone(ZoneOffset.UTC).toLocalDate().toEpochDay();
  }

  Amount spent(String scope, long epochDay) {
    for (Day day : days) {
      if (day.epochDay == epochDay) {
        return day.scopes.getOrDefault(scope, Amount.ZERO);
      }
    }
    return Amount.ZERO;
  }

  boolean knows(String ref) {
    return refs.get(ref) != null || olderRefs.get(ref) != null;
  }

  Spending remembering(String ref) {
    return refs.size() < REFS_KEPT
        ? new Spending(days, refs.with(ref, true), olderRefs)
        : new Spending(days, PersistentMap.<String, Boolean>empty().with(ref, true), refs);
  }

  /** Books an amount to every scope. */
  Spending booked(List<String> scopes, long epochDay, long costMicros, long tokens) {
    if (costMicros == 0 && tokens == 0) {
      return this;
    }
    Map<String, Amount> today = new HashMap<>();
    var kept = new ArrayList<Day>(DAYS_KEPT);
    for (Day day : days) {
      if (day.epochDay == epochDay) {
        today.putAll(day.scopes);
      } else if (kept.size() < DAYS_KEPT - 1) {
        kept.add(day);
      }
    }
    for (String scope : scopes) {
      today.merge(
          scope, new Amount(costMicros, tokens), (old, more) -> old.plus(costMicros, tokens));
    }
    kept.addFirst(new Day(epochDay, today));
    return new Spending(kept, refs, olderRefs);
  }

  private static long saturated(long a, long b) {
    long sum = a + b;
    return sum < a ? Long.MAX_VALUE : sum;
  }
}
