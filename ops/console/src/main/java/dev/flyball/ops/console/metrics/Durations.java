package dev.flyball.ops.console.metrics;

import dev.flyball.contract.metric.MetricWindow.Quantiles;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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
