package dev.flyball.producer.lease;

import java.time.Duration;

/** Whether a producer may take a source's poll lease. */
public sealed interface LeaseStatus {

  /**
   * No other producer may be polling the source, so the lease can be taken.
   *
   * @param epoch the epoch to take it with
   */
  record Free(long epoch) implements LeaseStatus {}

  /**
   * Another producer holds it.
   *
   * @param owner that producer
   * @param remaining how much longer it must go without renewal before it may be taken over
   */
  record Held(String owner, Duration remaining) implements LeaseStatus {}
}
