package dev.flyball.producer;

import dev.flyball.tracker.SourceConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * When a source is due: one interval after the last poll by any producer. The end of that poll is a
 * time of some wall clock. This class measures the remaining wait with the process' monotonic
 * clock, from the moment at which it learns that time. A stepped clock therefore delays one poll by
 * at most one interval. One thread.
 *
 * <p>After a start many sources are due at one moment. Each waits for its turn within a share of
 * its interval, so that they do not all ask together; a commanded poll does not wait, nor does a
 * source that is overdue by more than its interval: a process that restarts often polls it, too.
 */
final class Due {
  /** The turns of one start take this share of an interval. */
  private static final int SHARE = 10;

  /** The turns of one start take at most this time, however long an interval is. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final LongSupplier nanos;
  private final long turn;
  private Optional<Instant> learnt = Optional.empty();
  private Duration by = Duration.ZERO;
  private long end;

  /**
   * Counts from now.
   *
   * @param turn not due before this time is over
   */
  Due(Duration turn, LongSupplier nanos) {
    this.nanos = nanos;
    this.turn = nanos.getAsLong() + turn.toNanos();
  }

  /**
   * The wait of a source for its turn among those that start together. The first tracker and files,
   * which no request burdens, have none.
   */
  static Duration turn(SourceConfig source, List<SourceConfig> all) {
    List<String> trackers =
        all.stream()
            .filter(it -> !(it instanceof SourceConfig.Jsonl))
            .map(SourceConfig::key)
            .toList();
    int place = Math.max(0, trackers.indexOf(source.key()));
    Duration share = source.interval().dividedBy(SHARE);
    return (share.compareTo(LONGEST) < 0 ? share : LONGEST)
        .multipliedBy(place)
        .dividedBy(Math.max(1, trackers.size()));
  }

  /** Time until the next poll is due; zero or negative if it is due now. */
  Duration left(Optional<Instant> polledAt, Duration interval, Instant now) {
    long at = nanos.getAsLong();
    Duration turns = Duration.ofNanos(turn - at);
    Duration wait = sincePoll(polledAt, interval, now, at);
    boolean overdue = wait.compareTo(interval.negated()) < 0;
    return turns.isPositive() && turns.compareTo(wait) > 0 && !overdue ? turns : wait;
  }

  private Duration sincePoll(Optional<Instant> polledAt, Duration interval, Instant now, long at) {
    if (polledAt.isEmpty()) {
      learnt = polledAt;
      return Duration.ZERO;
    }
    if (!polledAt.equals(learnt) || !interval.equals(by)) {
      learnt = polledAt;
      by = interval;
      Duration wait = Duration.between(now, polledAt.get().plus(interval));
      end = at + (wait.compareTo(interval) > 0 ? interval : wait).toNanos();
    }
    return Duration.ofNanos(end - at);
  }
}
