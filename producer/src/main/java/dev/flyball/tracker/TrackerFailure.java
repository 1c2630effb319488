package dev.flyball.tracker;

import java.time.Duration;

/**
 * Why a tracker could not be read.
 *
 * @param reason one line: what, where and how to fix it; never a secret
 * @param retryAfter the pause that the tracker asked for, zero if it named none
 */
public record TrackerFailure(Category category, String reason, Duration retryAfter) {

  /** A failure of a tracker that did not say how long to wait. */
  public static TrackerFailure of(Category category, String reason) {
    return new TrackerFailure(category, reason, Duration.ZERO);
  }

  /** The kind of a failure, which decides what helps. */
  public enum Category {
    /** The token is missing, wrong, expired or lacks permission: a person must act. */
    AUTH("auth"),
    /** The tracker asks for a pause: waiting helps, and it does not count as a failure. */
    RATE_LIMITED("rate limited"),
    /** The place, project or query does not exist or is rejected: a person must act. */
    NOT_FOUND("not found"),
    /** The answer does not follow the tracker's interface. */
    MALFORMED("malformed"),
    /** The tracker did not answer, or answered that it cannot now. */
    UNREACHABLE("unreachable");

    private final String label;

    Category(String label) {
      this.label = label;
    }

    /** The name in events, metrics and answers. */
    public String label() {
      return label;
    }
  }
}
