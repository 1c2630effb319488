package dev.flyball.tracker;

import org.jspecify.annotations.Nullable;

/**
 * Carries a {@link TrackerFailure} from where it occurs to the source's result: one failed page
 * fails the whole poll.
 */
public final class SourceFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient TrackerFailure failure;

  /** With a cause, which is only logged. */
  public SourceFailure(TrackerFailure failure, @Nullable Throwable cause) {
    super(failure.reason(), cause);
    this.failure = failure;
  }

  /** Without a cause. */
  public SourceFailure(TrackerFailure.Category category, String reason) {
    this(TrackerFailure.of(category, reason), null);
  }

  /** What is wrong. */
  public TrackerFailure failure() {
    return failure;
  }
}
