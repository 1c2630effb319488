package dev.flyball.runner.protocol;

import java.time.Instant;

/**
 * The broker's clock as last seen. It only avoids claims that a pause would make ineffective, and
 * decides nothing.
 */
record LedgerClock(Instant appendTime, long receivedAt) {
  static final LedgerClock UNKNOWN = new LedgerClock(Instant.EPOCH, 0);

  Instant at(long now) {
    return this.equals(UNKNOWN)
        ? Instant.EPOCH
        : appendTime.plusNanos(Math.max(0, now - receivedAt));
  }
}
