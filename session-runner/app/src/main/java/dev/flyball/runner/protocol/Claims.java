package dev.flyball.runner.protocol;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * This runner's claims: at most one is pending. A send's timeout proves nothing, so the ids of
 * claims that have not taken effect are remembered. One that takes effect late still belongs to
 * this runner, and is released unstarted.
 */
final class Claims {
  /**
   * How many claims are remembered. A forgotten one that takes effect after all expires like a dead
   * runner's.
   */
  static final int REMEMBERED = 1024;

  /** When each claim was sent that has not taken effect, by its session. */
  private final Map<String, Long> sent = new LinkedHashMap<>();

  private @Nullable String pending;

  /** An own claim that took effect. */
  record Won(long sentAt, boolean pending) {}

  void sent(String session, long now) {
    sent.put(session, now);
    pending = session;
    if (sent.size() > REMEMBERED) {
      sent.remove(sent.keySet().iterator().next());
    }
  }

  boolean anyPending() {
    return pending != null;
  }

  long pendingSince() {
    return pending == null ? Long.MAX_VALUE : sent.getOrDefault(pending, Long.MAX_VALUE);
  }

  /** Stops waiting for the pending claim. */
  void abandonPending() {
    pending = null;
  }

  /**
   * Takes a claim without effect. It stays remembered, because its duplicate may take effect later.
   */
  void lost(String session) {
    if (session.equals(pending)) {
      pending = null;
    }
  }

  /** Takes a claim that took effect; null if it is not this runner's. */
  @Nullable Won won(String session) {
    Long sentAt = sent.remove(session);
    if (sentAt == null) {
      return null;
    }
    boolean wasPending = session.equals(pending);
    if (wasPending) {
      pending = null;
    }
    return new Won(sentAt, wasPending);
  }
}
