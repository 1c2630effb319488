package dev.flyball.producer.lease;

import java.time.Duration;

/** How a producer stands towards a source's poll lease. */
public sealed interface Standing {

  /**
   * Nobody else may be polling it: take it.
   *
   * @param epoch the epoch to take it with
   */
  record Free(long epoch) implements Standing {}

  /**
   * Another producer holds it.
   *
   * @param owner that producer
   * @param remaining how long its beat must still stand still before it may be taken over
   */
  record Held(String owner, Duration remaining) implements Standing {}
}
