package dev.flyball.producer.source.redmine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * From when on changes are read, by the tracker's clock. Everything stamped earlier was seen by the
 * poll that wrote this, so a quiet tracker answers with nothing at all.
 */
record RedmineCursor(Instant from) {

  /**
   * How long after its stamp a change may become visible: a stamp is made when a request saves, not
   * when its transaction is committed, and the machines of one Redmine have clocks of their own.
   */
  static final Duration OVERLAP = Duration.ofMinutes(2);

  /** Stamps come in whole seconds, rounded down: the second after the newest one is beyond it. */
  private static final Duration BEYOND = Duration.ofSeconds(2);

  /** Reads a cursor; null and another shape are none, so that everything is read again. */
  static Optional<RedmineCursor> parse(@Nullable String text) {
    try {
      return text == null ? Optional.empty() : Optional.of(new RedmineCursor(Instant.parse(text)));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /**
   * The cursor after a poll.
   *
   * @param before the one that it began with
   * @param newest the newest stamp that it saw, null if it saw nothing
   * @param began the tracker's clock at its first answer: what was changed later may have been
   *     missed by it
   */
  static RedmineCursor after(
      Optional<RedmineCursor> before, @Nullable Instant newest, Instant began) {
    Instant settled = began.minus(OVERLAP);
    if (newest == null) {
      return before.orElse(new RedmineCursor(settled));
    }
    Instant next = earlier(newest.plus(BEYOND), settled);
    return before.filter(cursor -> cursor.from.isAfter(next)).orElse(new RedmineCursor(next));
  }

  private static Instant earlier(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }

  @Override
  public String toString() {
    return from.toString();
  }
}
