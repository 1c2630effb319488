package dev.flyball.producer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When a source is due: an interval after the last poll of anybody. That poll's end is a time of
 * some wall clock; how long to wait is measured by this process' monotonic clock from the moment at
 * which that time was learnt, so that a stepped clock delays one poll by an interval at most. One
 * thread.
 */
final class Due {
  private Optional<Instant> learnt = Optional.empty();
  private Duration by = Duration.ZERO;
  private long end;

  /** How long until the next poll is due; not positive if it is. */
  Duration left(Optional<Instant> polledAt, Duration interval, Instant now, long nanos) {
    if (polledAt.isEmpty()) {
      learnt = polledAt;
      return Duration.ZERO;
    }
    if (!polledAt.equals(learnt) || !interval.equals(by)) {
      learnt = polledAt;
      by = interval;
      Duration wait = Duration.between(now, polledAt.get().plus(interval));
      end = nanos + (wait.compareTo(interval) > 0 ? interval : wait).toNanos();
    }
    return Duration.ofNanos(end - nanos);
  }
}
