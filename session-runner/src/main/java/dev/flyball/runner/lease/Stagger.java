package dev.flyball.runner.lease;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the starts of one runner apart while it fills several free slots: agents are at their
 * dearest when they start. A start that takes the last slot holds nothing up, and neither does a
 * session that has ended already; so one request alone, and a slot that was just freed, wait for
 * nothing.
 */
final class Stagger {
  private final long gap;
  private long startedAt;
  private @Nullable String session;

  Stagger(long gap) {
    this.gap = gap;
  }

  /** A session starts; {@code moreFree} if it leaves other slots free. */
  void started(String started, long now, boolean moreFree) {
    session = moreFree ? started : null;
    startedAt = now;
  }

  /** True if that was what the next start waited for. */
  boolean ended(String ended) {
    boolean waited = ended.equals(session);
    if (waited) {
      session = null;
    }
    return waited;
  }

  /** When the next one may start, if it would start {@code now} otherwise. */
  long notBefore(long now) {
    return session == null ? now : Math.max(now, startedAt + gap);
  }
}
