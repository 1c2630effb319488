package dev.flyball.producer;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * When a source is due: one interval after the last poll by any producer. The end of that poll is a
 * time of some wall clock. This class measures the remaining wait with the process' monotonic
 * clock, from the moment at which it learns that time. A stepped clock therefore delays one poll by
 * at most one interval. One thread.
 */
final class Due {
  private final LongSupplier nanos;
  private Optional<Instant> learnt = Optional.empty();
  private Duration by = Duration.ZERO;
  private long end;

  Due(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Time until the next poll is due; zero or negative if it is due now. */
  Duration left(Optional<Instant> polledAt, Duration interval, Instant now) {
    long at = nanos.getAsLong();
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
