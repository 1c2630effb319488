package dev.flyball.contract.ledger;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pcollections.HashTreePMap;
import org.pcollections.HashTreePSet;
import org.pcollections.PMap;
import org.pcollections.PSet;

/**
 * The spend, by UTC day of the append time and by scope. The broker's clock may step, so the days
 * touched last are kept, not only the newest: after a clock jumped a week ahead and back, today's
 * spend is still there.
 *
 * @param days the days touched last, newest touch first
 * @param refs the refs booked lately; with {@code olderRefs} they ensure that a repeated spend is
 *     booked once
 * @param held what is held back until the spend of the same ref
 */
record Spending(
    List<Day> days, PSet<String> refs, PSet<String> olderRefs, PMap<String, Hold> held) {
  static final int DAYS_KEPT = 3;

  /** Refs in one generation. A repeat follows within minutes; this many calls take days. */
  static final int REFS_KEPT = 2048;

  /**
   * How long a reserve waits for its spend, by append time: longer than the calls of any batch. The
   * writer of one that is older is gone, and what it spent is unknown.
   */
  static final Duration LONGEST_HELD = Duration.ofHours(1);

  static final Spending NONE =
      new Spending(List.of(), HashTreePSet.empty(), HashTreePSet.empty(), HashTreePMap.empty());

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

  /** Micro-dollars that a call of triage holds back for a tenant since an append time. */
  record Hold(String ref, String tenant, long costMicros, long sinceMs) {}

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
    return refs.contains(ref) || olderRefs.contains(ref);
  }

  /** The scopes that pay for what a tenant spends outside of sessions. */
  static List<String> scopes(String tenant) {
    return List.of(Scope.GLOBAL, Scope.tenant(tenant));
  }

  boolean holds(String ref) {
    return held.containsKey(ref);
  }

  /** Micro-dollars held back for a scope. Few calls are open at one time. */
  long held(String scope) {
    return held.values().stream()
        .filter(hold -> scopes(hold.tenant()).contains(scope))
        .mapToLong(Hold::costMicros)
        .reduce(0, Spending::saturated);
  }

  Spending holding(LedgerEntry.Reserve reserve, Instant appendTime) {
    var hold =
        new Hold(reserve.ref(), reserve.tenant(), reserve.costMicros(), appendTime.toEpochMilli());
    return new Spending(days, refs, olderRefs, held.plus(hold.ref(), hold));
  }

  /** Books what a ref cost, once, and ends what it holds back. */
  Spending settled(String ref, String tenant, long epochDay, long costMicros, long tokens) {
    Spending known =
        refs.size() < REFS_KEPT
            ? new Spending(days, refs.plus(ref), olderRefs, held.minus(ref))
            : new Spending(days, HashTreePSet.singleton(ref), refs, held.minus(ref));
    return known.booked(scopes(tenant), epochDay, costMicros, tokens);
  }

  /** The reserves that have waited too long for their spend, by ref. */
  List<Hold> overdue(Instant appendTime) {
    long before = appendTime.minus(LONGEST_HELD).toEpochMilli();
    return held.values().stream()
        .filter(hold -> hold.sinceMs() < before)
        .sorted(Comparator.comparing(Hold::ref))
        .toList();
  }

  /** Books the whole of these reserves. */
  Spending settled(List<Hold> overdue, Instant appendTime) {
    Spending settled = this;
    for (Hold hold : overdue) {
      settled = settled.settled(hold.ref(), hold.tenant(), day(appendTime), hold.costMicros(), 0);
    }
    return settled;
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
    return new Spending(kept, refs, olderRefs, held);
  }

  static long saturated(long a, long b) {
    long sum = a + b;
    return sum < a ? Long.MAX_VALUE : sum;
  }
}
