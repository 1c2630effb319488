package dev.flyball.tracker;

import org.jspecify.annotations.Nullable;

/**
 * Carries a {@link TrackerFailure} from where it occurs to the source's result: one failed page
 * fails the whole poll.
 */
public final class SourceFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient TrackerFailure failure;
  private final boolean tooMuch;

  /** With a cause, which is only logged. */
  public SourceFailure(TrackerFailure failure, @Nullable Throwable cause) {
    this(failure, cause, false);
  }

  private SourceFailure(TrackerFailure failure, @Nullable Throwable cause, boolean tooMuch) {
    super(failure.reason(), cause);
    this.failure = failure;
    this.tooMuch = tooMuch;
  }

  /** Without a cause. */
  public SourceFailure(TrackerFailure.Category category, String reason) {
    this(TrackerFailure.of(category, reason), null);
  }

  /** The same for a request that may have asked for too much. */
  public SourceFailure askingTooMuch() {
    return new SourceFailure(failure, getCause(), true);
  }

  /** Whether a request for less may succeed. */
  public boolean tooMuch() {
    return tooMuch;
  }

  /** What is wrong. */
  public TrackerFailure failure() {
    return failure;
  }
}
