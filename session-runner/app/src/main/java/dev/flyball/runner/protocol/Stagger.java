package dev.flyball.runner.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the starts of one runner apart while it fills several free slots, because agents use most
 * resources when they start. A start that takes the last slot delays nothing, and neither does a
 * session that has already ended. So a single request, and a slot that was just freed, do not wait.
 */
final class Stagger {
  private final long gap;
  private long startedAt;
  private @Nullable String session;

  Stagger(long gap) {
    this.gap = gap;
  }

  /** Records the start of a session; {@code moreFree} if it leaves other slots free. */
  void started(String started, long now, boolean moreFree) {
    session = moreFree ? started : null;
    startedAt = now;
  }

  /** Records the end of a session; true if the next start waited for it. */
  boolean ended(String ended) {
    boolean waited = ended.equals(session);
    if (waited) {
      session = null;
    }
    return waited;
  }

  /** When the next session may start, if it would otherwise start at {@code now}. */
  long notBefore(long now) {
    return session == null ? now : Math.max(now, startedAt + gap);
  }
}
