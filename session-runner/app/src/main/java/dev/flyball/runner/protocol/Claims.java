package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
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

  private final Map<String, Sent> sent = new LinkedHashMap<>();
  private @Nullable String pending;

  /** A claim that was sent and has not taken effect. */
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
