package dev.flyball.producer.source;

import java.time.Duration;

/**
 * Why a tracker could not be read.
 *
 * @param reason one line: what, where and the mend; never a secret
 * @param retryAfter the pause that the tracker asked for, zero if it said nothing
 */
public record Failure(Category category, String reason, Duration retryAfter) {

  /** A failure of a tracker that did not say how long to wait. */
  public static Failure of(Category category, String reason) {
    return new Failure(category, reason, Duration.ZERO);
  }

  /** What kind of failure it is: it decides what helps. */
  public enum Category {
    /** The token is missing, wrong, expired or may not do this: a person must act. */
    AUTH("auth"),
    /** The tracker wants to be left alone for a while: waiting helps, and is no failure of it. */
    RATE_LIMITED("rate limited"),
    /** The place, project or query does not exist or is refused: a person must act. */
    NOT_FOUND("not found"),
    /** It answered something else than its interface promises. */
    MALFORMED("malformed"),
    /** It did not answer, or said that it cannot now. */
    UNREACHABLE("unreachable");

    private final String label;

    Category(String label) {
      this.label = label;
    }

    /** The word in events, metrics and answers. */
    public String label() {
      return label;
    }
  }
}
