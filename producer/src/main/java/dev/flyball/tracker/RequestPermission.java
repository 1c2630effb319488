package dev.flyball.tracker;

import java.time.Duration;

/**
 * The permission to go on asking a tracker. It is checked before every request. A poller that is to
 * stop, or whose lease another producer may have taken over, sends no further request, so that two
 * producers never ask at the same time.
 */
@FunctionalInterface
public interface RequestPermission {
  /** Permission without conditions: for a dry run and for tests. */
  RequestPermission GRANTED = () -> {};

  /**
   * Returns if the next request may be sent.
   *
   * @throws PermissionLost if it may not
   */
  void check();

  /** The longest that a request may take, from its start to its answer's end. */
  default Duration limit() {
    return Duration.ofSeconds(30);
  }

  /** The permission ended: nothing of this poll is published and the cursor does not move. */
  final class PermissionLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With one line that names the reason. */
    public PermissionLost(String reason) {
      super(reason);
    }
  }
}
