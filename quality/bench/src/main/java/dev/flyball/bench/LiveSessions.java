package dev.flyball.bench;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The sessions of one simulated runner: no process runs, only the time of each passes. */
final class LiveSessions {
  private static final long TOKENS_A_SECOND = 400;

  /**
   * Since when each runs and when it ends, nanoseconds; a session that has ended keeps its slot.
   */
  private final Map<String, Span> spans = new LinkedHashMap<>();

  private long nextEnd = Long.MAX_VALUE;

  private record Span(long from, long to, boolean over) {}

  void begin(String session, long now, long length) {
    spans.put(session, new Span(now, now + length, false));
    nextEnd = Math.min(nextEnd, now + length);
  }

  /** The ledger shows its end. */
  void closed(String session) {
    spans.remove(session);
  }

  int size() {
    return spans.size();
  }

  /** Sessions without those whose end is only not shown yet. */
  List<String> running() {
    return spans.entrySet().stream()
        .filter(each -> !each.getValue().over())
        .map(Map.Entry::getKey)
        .toList();
  }

  long nextEnd() {
    return nextEnd;
  }

  LedgerEntry.Usage usage(String session, long now) {
    Span span = spans.get(session);
    long tokens = span == null ? 0 : (now - span.from()) / 1_000_000_000 * TOKENS_A_SECOND;
    return new LedgerEntry.Usage(session, tokens, 0);
  }

  /** The releases of the sessions whose time is over, once each. */
  List<LedgerEntry.Release> ended(long now) {
    if (now < nextEnd) {
      return List.of();
    }
    var releases = new ArrayList<LedgerEntry.Release>();
    nextEnd = Long.MAX_VALUE;
    for (Map.Entry<String, Span> each : spans.entrySet()) {
      Span span = each.getValue();
      if (!span.over() && span.to() <= now) {
        each.setValue(new Span(span.from(), span.to(), true));
        releases.add(release(usage(each.getKey(), now), (now - span.from()) / 1_000_000));
      } else if (!span.over()) {
        nextEnd = Math.min(nextEnd, span.to());
      }
    }
    return releases;
  }

  static LedgerEntry.Release release(LedgerEntry.Usage used, long ranMillis) {
    return new LedgerEntry.Release(
        used.session(),
        Outcome.COMPLETED,
        null,
        null,
        0,
        null,
        new Timings(40, ranMillis, 12),
        used.tokens(),
        ScalePlan.RESERVE / 2,
        new Receipt("A", 6, 400_000_000, List.of(), 0));
  }
}
