package dev.flyball.ops.console.metrics;

import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.metric.MetricWindow.Quantiles;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What happened to one tenant in one minute, so that one more event can be added and 60 of these
 * are an hour. The order of the events does not matter, except for what was saved. Immutable.
 *
 * @param sums what adds up, by its name; names of one kind begin with the kind and a slash
 * @param peaks what is the largest of all, by its name
 * @param batches a hash of each triage call
 */
public record WindowCount(
    Map<String, Long> sums,
    Map<String, Long> peaks,
    Concurrency concurrency,
    Durations running,
    Durations waiting,
    Set<Long> batches) {
  /** Nothing happened. */
  public static final WindowCount EMPTY =
      new WindowCount(
          Map.of(), Map.of(), Concurrency.NONE, Durations.NONE, Durations.NONE, Set.of());

  private static final String ENDED = "ended/";
  private static final String KILLS = "kills/";
  private static final String COUNTS = "counts/";
  private static final String CLAIMED = "claimed";
  private static final String TOKENS = "tokens";
  private static final String COST = "cost";
  private static final String SAVED = "saved";
  private static final String SURVIVORS = "survivors";
  private static final String PROCESSES = "processes";

  /** The peak of an hour, which only its minutes know. */
  private static final String SESSIONS = "sessions";

  /**
   * Most processes that one event reported of a tree that cannot be ended; such a report is
   * repeated, so they are not added up.
   */
  private static final String UNENDED = "unended";

  private static final String TRIAGE_CALLS = "triage.calls";

  /** Names of one kind; more are counted together as other. */
  private static final int MOST_NAMES = 100;

  private static final int MOST_BATCHES = 500;

  public WindowCount {
    sums = Map.copyOf(sums);
    peaks = Map.copyOf(peaks);
    batches = Set.copyOf(batches);
  }

  /** This window and one more event of it. */
  public WindowCount fold(MetricFact fact, AverageCost average) {
    var added = new TreeMap<String, Long>();
    var highest = new TreeMap<String, Long>();
    MetricFact.End end = fact.end();
    Durations ran = Durations.NONE;
    Durations waited = Durations.NONE;
    if (end != null) {
      added.put(ENDED + end.outcome(), 1L);
      added.put(TOKENS, end.tokens());
      added.put(SURVIVORS, end.survivors());
      highest.put(PROCESSES, end.processesPeak());
      if (end.killedBy() != null) {
        added.put(KILLS + end.killedBy(), 1L);
      }
      if (end.started()) {
        ran = ran.plus(end.runningMs());
        waited = waited.plus(end.waitingMs());
      }
    } else if (fact.name().equals(MetricFact.CLAIMED)) {
      added.put(CLAIMED, 1L);
    } else if (fact.counts()) {
      added.put(COUNTS + fact.name(), 1L);
    }
    added.put(COST, fact.costMicros() + (end == null ? 0 : end.costMicros()));
    added.put(SAVED, fact.saved() ? average.micros() : 0);
    highest.put(UNENDED, fact.survivors());
    Set<Long> calls =
        fact.batch() == null || batches.size() >= MOST_BATCHES
            ? Set.of()
            : Set.of(hash(fact.batch()));
    return plus(new WindowCount(added, highest, Concurrency.NONE, ran, waited, calls));
  }

  /** This window after a session began or ended in it. */
  public WindowCount marked(SessionSpan.Mark mark) {
    int offset = (int) (mark.at() - SessionSpan.minute(mark.at()));
    Concurrency now = mark.begins() ? concurrency.begun(offset) : concurrency.ended(offset);
    return new WindowCount(sums, peaks, now, running, waiting, batches);
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
    Map<String, Long> counts = named(COUNTS);
    if (!batches.isEmpty()) {
      counts.put(TRIAGE_CALLS, (long) batches.size());
    }
    return new MetricWindow(
        size,
        start,
        tenant,
        named(ENDED),
        sum(CLAIMED),
        Math.max(peak(SESSIONS), concurrency.peak()),
        running.quantiles(),
        waiting.quantiles(),
        sum(TOKENS),
        sum(COST),
        sum(SAVED),
        peak(PROCESSES),
        named(KILLS),
        sum(SURVIVORS) + peak(UNENDED),
        counts);
  }

  private long sum(String name) {
    return sums.getOrDefault(name, 0L);
  }

  private long peak(String name) {
    return peaks.getOrDefault(name, 0L);
  }

  private Map<String, Long> named(String kind) {
    var named = new TreeMap<String, Long>();
    sums.forEach((name, count) -> {
      if (name.startsWith(kind)) {
        named.put(name.substring(kind.length()), count);
      }
    });
    return named;
  }

  private WindowCount plus(WindowCount more) {
    var added = new TreeMap<>(sums);
    more.sums.forEach((name, count) -> {
      if (count != 0) {
        added.merge(added.containsKey(name) ? name : room(name), count, Long::sum);
      }
    });
    var highest = new TreeMap<>(peaks);
    more.peaks.forEach((name, value) -> highest.merge(name, value, Math::max));
    highest.merge(SESSIONS, more.concurrency.peak(), Math::max);
    highest.values().removeIf(value -> value == 0);
    Set<Long> calls = batches;
    if (!batches.containsAll(more.batches)) {
      calls = new HashSet<>(batches);
      calls.addAll(more.batches);
    }
    return new WindowCount(
        added, highest, concurrency, running.plus(more.running), waiting.plus(more.waiting), calls);
  }

  /** The name under which a new one is counted. */
  private String room(String name) {
    String kind = name.substring(0, name.indexOf('/') + 1);
    return kind.isEmpty() || named(kind).size() < MOST_NAMES ? name : kind + MetricFact.OTHER;
  }

  /** FNV-1a: a window would otherwise hold the whole ids. */
  private static long hash(String text) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
    }
    return hash;
  }

  /**
   * How many sessions began and ended at which moment of one minute. The order in which it hears of
   * them does not matter, because events of several partitions come in no order. Immutable.
   *
   * @param changes by how much the number of sessions changed, by the milliseconds since the
   *     minute's start
   * @param coarse whether there were so many changes that they are kept by the second
   */
  public record Concurrency(Map<Integer, Long> changes, boolean coarse) {
    /** No sessions. */
    public static final Concurrency NONE = new Concurrency(Map.of(), false);

    private static final int MOST = 600;
    private static final int SECOND = 1000;

    public Concurrency {
      changes = Map.copyOf(changes);
    }

    /** A session began at this moment, or was there before the minute if it is 0. */
    Concurrency begun(int offset) {
      return changed(offset, 1);
    }

    /** A session ended at this moment. */
    Concurrency ended(int offset) {
      return changed(offset, -1);
    }

    /** The most sessions at one moment. */
    long peak() {
      long now = 0;
      long peak = 0;
      for (long change : new TreeMap<>(changes).values()) {
        now += change;
        peak = Math.max(peak, now);
      }
      return peak;
    }

    private Concurrency changed(int offset, long by) {
      var next = new TreeMap<>(changes);
      next.merge(coarse ? second(offset, by) : offset, by, Long::sum);
      next.values().removeIf(change -> change == 0);
      return coarse || next.size() <= MOST ? new Concurrency(next, coarse) : bySecond(next);
    }

    private static Concurrency bySecond(Map<Integer, Long> exact) {
      var next = new TreeMap<Integer, Long>();
      exact.forEach((offset, change) -> next.merge(second(offset, change), change, Long::sum));
      return new Concurrency(next, true);
    }

    /** Begins are rounded up and ends down: a rounded peak is never above the true one. */
    private static int second(int offset, long change) {
      return change < 0 ? offset / SECOND * SECOND : (offset + SECOND - 1) / SECOND * SECOND;
    }
  }

  /**
   * How many durations fell into which bucket; a bucket's bounds are 4 % apart. So each quantile is
   * within 5 % of the true one, whatever the durations are, and two of these add up to that of all
   * their durations. Immutable.
   *
   * @param buckets count by the bucket's number; at most 600 of them
   * @param max the longest duration, exact, in milliseconds
   */
  public record Durations(Map<Integer, Long> buckets, long max) {
    /** No durations. */
    public static final Durations NONE = new Durations(Map.of(), 0);

    /** Half a bucket's width in relation to its middle: rounding to milliseconds adds the rest. */
    private static final double HALF = 0.02;

    private static final double WIDTH = (1 + HALF) / (1 - HALF);

    /** The bucket of durations below one millisecond. */
    private static final int ZERO = -1;

    /** Three months: a longer one is counted as this, so that the number of buckets has a limit. */
    private static final long LONGEST = 8_000_000_000L;

    public Durations {
      buckets = Map.copyOf(buckets);
    }

    /** These and one more; a negative one counts as 0. */
    Durations plus(long millis) {
      long value = Math.clamp(millis, 0, LONGEST);
      return plus(new Durations(Map.of(bucket(value), 1L), value));
    }

    /** These and those. */
    Durations plus(Durations more) {
      var sum = new TreeMap<>(buckets);
      more.buckets.forEach((bucket, count) -> sum.merge(bucket, count, Long::sum));
      return new Durations(sum, Math.max(max, more.max));
    }

    /** The quantiles; null if there are no durations. */
    @Nullable Quantiles quantiles() {
      long count = buckets.values().stream().mapToLong(Long::longValue).sum();
      return count == 0
          ? null
          : new Quantiles(count, at(0.5, count), at(0.95, count), at(0.99, count), max);
    }

    /** The smallest duration that at least this share of all does not exceed. */
    private long at(double share, long count) {
      long rank = (long) Math.ceil(share * count);
      long below = 0;
      for (var bucket : new TreeMap<>(buckets).entrySet()) {
        below += bucket.getValue();
        if (below >= rank) {
          return Math.min(max, middle(bucket.getKey()));
        }
      }
      return max;
    }

    private static int bucket(long millis) {
      return millis < 1 ? ZERO : (int) Math.ceil(Math.log((double) millis) / Math.log(WIDTH));
    }

    private static long middle(int bucket) {
      return bucket == ZERO ? 0 : Math.round(2 * Math.pow(WIDTH, bucket) / (WIDTH + 1));
    }
  }
}
