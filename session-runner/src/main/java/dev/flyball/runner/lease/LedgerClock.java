package dev.flyball.runner.lease;

import java.time.Instant;

/**
 * The broker's clock as last seen: only to spare claims that a pause would refuse. Nothing is
 * decided by it.
 */
record LedgerClock(Instant appendTime, long receivedAt) {
  static final LedgerClock UNKNOWN = new LedgerClock(Instant.EPOCH, 0);

  Instant at(long now) {
    return this.equals(UNKNOWN)
        ? Instant.EPOCH
        : appendTime.plusNanos(Math.max(0, now - receivedAt));
  }
}
