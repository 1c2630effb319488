package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Claims of ours: at most one pending. A send's timeout says nothing, so the ids of claims that
 * have not taken effect are remembered: one that does so late is still ours, to be released
 * unstarted.
 */
final class Claims {
  /**
   * Remembered claims. A forgotten one that takes effect after all is expired like a dead runner's.
   */
  static final int REMEMBERED = 1024;

  private final Map<String, Sent> sent = new LinkedHashMap<>();
  private @Nullable String pending;

  /** A claim on its way. */
  record Sent(Wish wish, long at) {}

  /** An own claim that took effect. */
  record Won(Wish wish, long sentAt, boolean pending) {}

  void sent(LedgerEntry.Claim claim, Wish wish, long now) {
    sent.put(claim.session(), new Sent(wish, now));
    pending = claim.session();
    if (sent.size() > REMEMBERED) {
      sent.remove(sent.keySet().iterator().next());
    }
  }

  boolean anyPending() {
    return pending != null;
  }

  long pendingSince() {
    Sent claim = pending == null ? null : sent.get(pending);
    return claim == null ? Long.MAX_VALUE : claim.at();
  }

  /** Waits for the pending claim no longer. */
  void abandonPending() {
    pending = null;
  }

  /** A claim without effect was read. It stays remembered: its duplicate may take effect later. */
  void lost(String session) {
    if (session.equals(pending)) {
      pending = null;
    }
  }

  /** A claim took effect; null if it is not ours. */
  @Nullable Won won(String session) {
    Sent claim = sent.remove(session);
    if (claim == null) {
      return null;
    }
    boolean wasPending = session.equals(pending);
    if (wasPending) {
      pending = null;
    }
    return new Won(claim.wish(), claim.at(), wasPending);
  }
}
