package dev.flyball.tracker.redmine;

import dev.flyball.tracker.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cursor: the time from which changes are read, by the tracker's clock. Everything stamped
 * earlier was seen, so a quiet tracker answers with an empty list.
 */
final class RedmineCursor {

  /**
   * How long after its stamp a change may become visible. A stamp is made when a request saves, not
   * when its transaction is committed, and the machines of one Redmine have separate clocks.
   */
  static final Duration OVERLAP = Duration.ofMinutes(2);

  /** Stamps come in whole seconds, rounded down: the second after the newest one is beyond it. */
  private static final Duration BEYOND = Duration.ofSeconds(2);

  /**
   * The cursor after a poll.
   *
   * @param before the one that the poll began with
   * @param newest the newest stamp that it saw, null if it saw nothing
   * @param began the tracker's clock at its first answer; the poll may have missed later changes
   * @param query mark of what was asked
   */
  static Watermark after(
      Optional<Watermark> before, @Nullable Instant newest, Instant began, String query) {
    Instant settled = began.minus(OVERLAP);
    if (newest == null) {
      return before.orElse(new Watermark(settled, query));
    }
    Instant next = earlier(newest.plus(BEYOND), settled);
    return before.map(mark -> mark.seen(next)).orElse(new Watermark(next, query));
  }

  private RedmineCursor() {}

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
