package dev.flyball.tracker.azure;

import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;

/**
 * Waits between the requests of one poll as long as the tracker asks. Azure DevOps asks for that in
 * successful answers too, before it slows down or rejects requests.
 */
final class RequestPauses {
  /** Microsoft delays a request by this much at most; a longer wait is left to another poll. */
  static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

  /** Most waiting time in one poll. */
  static final Duration MOST_WAITING = Duration.ofMinutes(5);

  /** How to wait. */
  @FunctionalInterface
  interface Sleeper {
    /** Returns after this time. */
    void sleep(Duration time) throws InterruptedException;
  }

  private final Sleeper sleeper;
  private final String place;
  private Duration waited = Duration.ZERO;
  private Duration asked = Duration.ZERO;
  private Duration longest = Duration.ZERO;

  RequestPauses(Sleeper sleeper, String place) {
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
   * @throws SourceFailure if the wait is too long for one poll
   */
  void beforeNext() {
    if (asked.isZero()) {
      return;
    }
    if (tooLong()) {
      throw new SourceFailure(
          new TrackerFailure(
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
      throw new RequestPermission.PermissionLost("interrupted");
    }
    waited = waited.plus(asked);
    asked = Duration.ZERO;
  }

  /** Whether the wait that the last answer asked for is too long for one poll. */
  boolean tooLong() {
    return asked.compareTo(LONGEST_WAIT) > 0 || waited.plus(asked).compareTo(MOST_WAITING) > 0;
  }

  /** The longest wait that was asked for. */
  Duration longest() {
    return longest;
  }
}
