package dev.flyball.ops.console.metrics;

import dev.flyball.contract.metric.MetricWindow;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What happened to one tenant in one minute, so that one more event can be added and 60 of these
 * are an hour. The order of the events does not matter, except for what was saved. Immutable.
 *
 * @param unended most processes that one event reported of a tree that cannot be ended; such a
 *     report is repeated, so they are not added up
 * @param batches a hash of each triage call
 * @param hourPeak the peak of an hour, which only its minutes know
 */
public record WindowCount(
    Map<String, Long> ended,
    long claimed,
    Concurrency concurrency,
    long hourPeak,
    Durations running,
    Durations waiting,
    long tokens,
    long costMicros,
    long savedMicros,
    long processesPeak,
    Map<String, Long> kills,
    long survivors,
    long unended,
    Map<String, Long> counts,
    Set<Long> batches) {
  /** Nothing happened. */
  public static final WindowCount EMPTY =
      new WindowCount(
          Map.of(),
          0,
          Concurrency.NONE,
          0,
          Durations.NONE,
          Durations.NONE,
          0,
          0,
          0,
          0,
          Map.of(),
          0,
          0,
          Map.of(),
          Set.of());

  private static final String TRIAGE_CALLS = "triage.calls";

  /** Names of one map; more are counted together as other. */
  private static final int MOST_NAMES = 100;

  private static final int MOST_BATCHES = 500;

  public WindowCount {
    ended = Map.copyOf(ended);
    kills = Map.copyOf(kills);
    counts = Map.copyOf(counts);
    batches = Set.copyOf(batches);
  }

  /** This window and one more event of it. */
  public WindowCount fold(MetricFact fact, AverageCost average) {
    WindowCount next = plus(of(fact, average));
    return next.batches.size() <= MOST_BATCHES ? next : next.withBatches(batches);
  }

  /** This window after a session began or ended in it. */
  public WindowCount marked(SessionSpan.Mark mark) {
    int offset = (int) (mark.at() - SessionSpan.minute(mark.at()));
    return with(mark.begins() ? concurrency.begun(offset) : concurrency.ended(offset));
  }

  /** The hour that these minutes are. */
  public static WindowCount hour(Iterable<WindowCount> minutes) {
    WindowCount sum = EMPTY;
    for (WindowCount minute : minutes) {
      sum = sum.plus(minute);
    }
    return sum;
  }

  /** The record of the metrics topic. */
  public MetricWindow toWindow(String size, Instant start, String tenant) {
    var all = new TreeMap<>(counts);
    if (!batches.isEmpty()) {
      all.put(TRIAGE_CALLS, (long) batches.size());
    }
    return new MetricWindow(
        size,
        start,
        tenant,
        ended,
        claimed,
        peak(),
        running.quantiles(),
        waiting.quantiles(),
        tokens,
        costMicros,
        savedMicros,
        processesPeak,
        kills,
        survivors + unended,
        all);
  }

  private long peak() {
    return Math.max(hourPeak, concurrency.peak());
  }

  private static WindowCount of(MetricFact fact, AverageCost average) {
    MetricFact.End end = fact.end();
    boolean claim = fact.name().equals(MetricFact.CLAIMED);
    boolean counted = end == null && !claim && fact.counts();
    return new WindowCount(
        end == null ? Map.of() : Map.of(end.outcome(), 1L),
        claim ? 1 : 0,
        Concurrency.NONE,
        0,
        end == null || !end.started() ? Durations.NONE : Durations.NONE.plus(end.runningMs()),
        end == null || !end.started() ? Durations.NONE : Durations.NONE.plus(end.waitingMs()),
        end == null ? 0 : end.tokens(),
        fact.costMicros() + (end == null ? 0 : end.costMicros()),
        fact.saved() ? average.micros() : 0,
        end == null ? 0 : end.processesPeak(),
        end == null || end.killedBy() == null ? Map.of() : Map.of(end.killedBy(), 1L),
        end == null ? 0 : end.survivors(),
        fact.survivors(),
        counted ? Map.of(fact.name(), 1L) : Map.of(),
        fact.batch() == null ? Set.of() : Set.of(hash(fact.batch())));
  }

  private WindowCount plus(WindowCount more) {
    Set<Long> calls = batches;
    if (!batches.containsAll(more.batches)) {
      calls = new HashSet<>(batches);
      calls.addAll(more.batches);
    }
    return new WindowCount(
        sum(ended, more.ended),
        claimed + more.claimed,
        concurrency,
        Math.max(hourPeak, more.peak()),
        running.plus(more.running),
        waiting.plus(more.waiting),
        tokens + more.tokens,
        costMicros + more.costMicros,
        savedMicros + more.savedMicros,
        Math.max(processesPeak, more.processesPeak),
        sum(kills, more.kills),
        survivors + more.survivors,
        Math.max(unended, more.unended),
        sum(counts, more.counts),
        calls);
  }

  private WindowCount with(Concurrency other) {
    return new WindowCount(
        ended,
        claimed,
        other,
        hourPeak,
        running,
        waiting,
        tokens,
        costMicros,
        savedMicros,
        processesPeak,
        kills,
        survivors,
        unended,
        counts,
        batches);
  }

  private WindowCount withBatches(Set<Long> others) {
    return new WindowCount(
        ended,
        claimed,
        concurrency,
        hourPeak,
        running,
        waiting,
        tokens,
        costMicros,
        savedMicros,
        processesPeak,
        kills,
        survivors,
        unended,
        counts,
        others);
  }

  private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> more) {
    if (more.isEmpty()) {
      return one;
    }
    var sum = new TreeMap<>(one);
    more.forEach((name, count) ->
        sum.merge(
            sum.containsKey(name) || sum.size() < MOST_NAMES ? name : MetricFact.OTHER,
            count,
            Long::sum));
    return sum;
  }

  /** FNV-1a: a window would otherwise hold the whole ids. */
  private static long hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }
}
