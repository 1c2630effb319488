package dev.flyball.triage.classify;

import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.time.Duration;

/**
 * A time without answers of the model: how long to wait before each further call, and which items
 * were said to wait. Used only by the classifier's thread.
 */
final class Outage {
  /** The longest pause that grows by itself, in first pauses. */
  private static final int MOST_PAUSES = 60;

  /**
   * The same while each call may cost money. With a first pause of 5 s and 0.10 USD a call, a model
   * that answers nothing for a day costs 5 USD.
   */
  private static final int MOST_PAID_PAUSES = 360;

  /**
   * The longest pause that a provider may ask for, above every weekly limit. A time in milliseconds
   * where seconds are expected would let items wait for centuries.
   */
  private static final Duration LONGEST = Duration.ofDays(8);

  private final Duration firstPause;
  private int failures;
  private long saidUpTo = -1;

  /** None so far. */
  Outage(Duration firstPause) {
    this.firstPause = firstPause;
  }

  /** Whether the last call failed. */
  boolean lasts() {
    return failures > 0;
  }

  /**
   * Counts a failed call; returns how long to wait: twice as long after each, and at least as long
   * as the provider says, within eight days. One call in this time finds out whether the model is
   * back.
   */
  Duration failed(ModelFailure failure) {
    failures++;
    Duration pause = firstPause.multipliedBy(1L << Math.min(failures - 1, 16));
    Long cost = failure.costMicros();
    boolean paid = cost == null || cost > 0;
    Duration most = firstPause.multipliedBy(paid ? MOST_PAID_PAUSES : MOST_PAUSES);
    return least(pause.compareTo(most) > 0 ? most : pause, failure);
  }

  /** The first pause, or as long as the provider says, within eight days. */
  Duration shortest(ModelFailure failure) {
    return least(firstPause, failure);
  }

  private static Duration least(Duration usual, ModelFailure failure) {
    Duration asked = failure.retryAfter();
    if (asked == null || asked.compareTo(usual) < 0) {
      return usual;
    }
    return asked.compareTo(LONGEST) < 0 ? asked : LONGEST;
  }

  /** Whether this was its first failure. */
  boolean began() {
    return failures == 1;
  }

  /** Whether the item of a question has not been said to wait; from now on it has. */
  boolean unsaid(long offset) {
    if (offset <= saidUpTo) {
      return false;
    }
    saidUpTo = offset;
    return true;
  }

  /** Forgets what was said: another member of the group may have read since. */
  void reassigned() {
    saidUpTo = -1;
  }

  /** The model has answered. */
  void over() {
    failures = 0;
    saidUpTo = -1;
  }
}
