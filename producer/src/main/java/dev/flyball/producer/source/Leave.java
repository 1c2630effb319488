package dev.flyball.producer.source;

import java.time.Duration;

/**
 * The leave to go on asking a tracker. Checked before every request: a poller whose lease may have
 * been taken over meanwhile, or that is to stop, asks nothing more, so that two never ask at once.
 */
@FunctionalInterface
public interface Leave {
  /** Always given: for a dry run and for tests. */
  Leave GRANTED = () -> {};

  /**
   * Returns if the next request may be sent.
   *
   * @throws LeaveLost if it may not
   */
  void check();

  /** The longest that a request may take, from its start to its answer's end. */
  default Duration limit() {
    return Duration.ofSeconds(30);
  }

  /** The poll ends here, with nothing published and the cursor where it was. */
  final class LeaveLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With one line that says why. */
    public LeaveLost(String reason) {
      super(reason);
    }
  }
}
