package dev.flyball.producer.source.azure;

import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.SourceFailure;
import java.time.Duration;

/**
 * Waits between the requests of one poll as long as the tracker asks, which Azure DevOps does on
 * good answers too, before it slows down or refuses.
 */
final class Pace {
  /** Microsoft delays a request by this much at most; a longer wait is for another poll. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  /** Most waiting of one poll. */
  static final Duration MOST_WAITING = Duration.ofMinutes(5);

  /** Lets time pass. */
  @FunctionalInterface
  interface Sleeper {
    /** Returns after that time. */
    void sleep(Duration time) throws InterruptedException;
  }

  private final Sleeper sleeper;
  private final String place;
  private Duration waited = Duration.ZERO;
  private Duration asked = Duration.ZERO;
  private Duration longest = Duration.ZERO;

  Pace(Sleeper sleeper, String place) {
    this.sleeper = sleeper;
    this.place = place;
  }

  /** An answer came that asks for this wait, zero for none. */
  void answered(Duration retryAfter) {
    asked = retryAfter;
    longest = retryAfter.compareTo(longest) > 0 ? retryAfter : longest;
  }

  /**
   * Returns when the next request may be sent.
   *
   * @throws SourceFailure if that is too long for one poll
   */
  void beforeNext() {
    if (asked.isZero()) {
      return;
    }
    if (asked.compareTo(LONGEST_WAIT) > 0 || waited.plus(asked).compareTo(MOST_WAITING) > 0) {
      throw new SourceFailure(
          new Failure(
              Category.RATE_LIMITED,
              place
                  + " asks to wait "
                  + asked.toSeconds()
                  + " s in the middle of a poll; it is read again after that",
              asked),
          null);
    }
    try {
      sleeper.sleep(asked);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Leave.LeaveLost("interrupted");
    }
    waited = waited.plus(asked);
    asked = Duration.ZERO;
  }

  /** The longest wait that was asked for. */
  Duration longest() {
    return longest;
  }
}
