package dev.flyball.tracker;

import org.jspecify.annotations.Nullable;

/**
 * Carries a {@link Failure} from where it occurs to the source's result: one failed page fails the
 * whole poll.
 */
public final class SourceFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  /** With a cause, which is only logged. */
  public SourceFailure(Failure failure, @Nullable Throwable cause) {
    super(failure.reason(), cause);
    this.failure = failure;
  }

  /** Without a cause. */
  public SourceFailure(Failure.Category category, String reason) {
    this(Failure.of(category, reason), null);
  }

  /** What is wrong. */
  public Failure failure() {
    return failure;
  }
}
