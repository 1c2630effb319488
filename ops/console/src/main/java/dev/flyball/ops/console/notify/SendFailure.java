package dev.flyball.ops.console.notify;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A message that was not accepted; its text is one line with the fix and without any secret. */
final class SendFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean permanent;
  private final transient Duration pause;

  /**
   * A failure.
   *
   * @param permanent whether the same message would fail again
   * @param pause the wait that the target named; zero for none
   */
  SendFailure(String reason, boolean permanent, Duration pause, @Nullable Throwable cause) {
    super(reason, cause);
    this.permanent = permanent;
    this.pause = pause;
  }

  boolean permanent() {
    return permanent;
  }

  Duration pause() {
    return pause;
  }
}
