package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.session.Outcome;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * This runner's claims: when the next one is sent, and which of them may start their session. At
 * most one is pending. A send's timeout proves nothing, so the ids of claims that have not taken
 * effect are remembered. One that takes effect late still belongs to this runner, and is released
 * unstarted.
 */
final class Claims {
  /** Claims that are remembered; a forgotten one that takes effect expires like a dead runner's. */
  static final int REMEMBERED = 1024;

  private final LeaseNanos nanos;
  private final ClaimTurns turns;
  private final ClaimSource demand;
  private final Supplier<String> sessionIds;
  private final Stagger stagger;

  /** When each claim was sent that has not taken effect, by its session. */
  private final Map<String, Long> sent = new LinkedHashMap<>();

  private @Nullable Pending pending;

  private @Nullable String next;

  private long claimAt = Long.MAX_VALUE;
  private long coolUntil = Long.MIN_VALUE;

  private record Pending(String session, long sentAt) {}

  Claims(LeaseNanos nanos, ClaimTurns turns, ClaimSource demand, Supplier<String> sessionIds) {
    this.nanos = nanos;
    this.turns = turns;
    this.demand = demand;
    this.sessionIds = sessionIds;
    this.stagger = new Stagger(nanos.stagger);
  }

  /**
   * Claims the next request if it is time to.
   *
   * @param allowed whether this runner claims at all
   */
  Optional<Step> due(
      LedgerState ledger, Instant ledgerNow, ProviderPauses pauses, boolean allowed, long now) {
    if (pending != null && now - pending.sentAt() > nanos.late) {
      pending = null;
    }
    boolean permit = allowed && !ledger.full() && Unsettled.tooMany(ledger).isEmpty();
    if (!permit || pending != null) {
      claimAt = Long.MAX_VALUE;
      if (pending == null) {
        turns.forget();
      }
      return Optional.empty();
    }
    long earliest = Math.max(coolUntil, stagger.notBefore(now));
    if (now < earliest) {
      // Turns that pass meanwhile would let several runners claim the same when they may again.
      turns.forget();
      claimAt = earliest;
      return Optional.empty();
    }
    if (next == null) {
      next = sessionIds.get();
    }
    turns.begin(ledger, demand.self().id(), now);
    Optional<LedgerEntry.Claim> claim =
        demand
            .next(next, ledger, ledgerNow, turns)
            .filter(each -> !pauses.pending(each.provider()))
            .filter(each -> !ProviderReturn.waits(ledger, each.provider(), ledgerNow));
    claimAt = turns.next();
    if (claim.isEmpty() || ledger.whyNot(claim.get(), ledgerNow).isPresent()) {
      return Optional.empty();
    }
    sent(next, now);
    next = null;
    return claim.map(Step.Append::new);
  }

  /** When {@link #due} has to be asked again at the latest. */
  long nextTick() {
    return pending == null ? claimAt : Math.min(claimAt, pending.sentAt() + nanos.late + 1);
  }

  /**
   * Takes an entry without effect. If it is the pending claim, it stays remembered, because its
   * duplicate may take effect later.
   */
  void lost(LedgerEntry entry) {
    if (entry instanceof LedgerEntry.Claim claim && isPending(claim.session())) {
      pending = null;
    }
  }

  /** When the claim of this session was sent; empty if it is not this runner's, or had effect. */
  OptionalLong sentAt(String session) {
    Long at = sent.get(session);
    return at == null ? OptionalLong.empty() : OptionalLong.of(at);
  }

  /**
   * Takes an own claim that took effect.
   *
   * @param allowed whether this runner claims at all
   * @return the step if its session must not start
   */
  Optional<Step.Unstarted> won(Lease lease, LedgerState ledger, boolean allowed, long receivedAt) {
    boolean late = receivedAt - sent.getOrDefault(lease.session(), receivedAt) > nanos.late;
    sent.remove(lease.session());
    boolean wasPending = isPending(lease.session());
    if (wasPending) {
      pending = null;
    }
    if (late) {
      coolUntil = receivedAt + nanos.coolDown;
    }
    Outcome outcome = Outcome.INTERRUPTED;
    String reason;
    if (!demand.wanted(lease)) {
      outcome = Outcome.CANCELLED;
      reason = "no longer wanted";
    } else if (late || !wasPending) {
      reason = "claim took effect late";
    } else if (ProviderReturn.overtook(ledger, lease)) {
      reason = "its provider comes back one by one";
    } else if (!allowed) {
      reason = "runner is stopping";
    } else {
      return Optional.empty();
    }
    return Optional.of(new Step.Unstarted(lease.session(), outcome, reason));
  }

  /** Records the start of a session; {@code moreFree} if it leaves other slots free. */
  void started(String session, long now, boolean moreFree) {
    stagger.started(session, now, moreFree);
  }

  void ended(String session) {
    stagger.ended(session);
  }

  private boolean isPending(String session) {
    return pending != null && pending.session().equals(session);
  }

  private void sent(String session, long now) {
    sent.put(session, now);
    pending = new Pending(session, now);
    if (sent.size() > REMEMBERED) {
      sent.remove(sent.keySet().iterator().next());
    }
  }

  /**
   * Keeps the starts of one runner apart while it fills several free slots, because agents use most
   * resources when they start. A start that takes the last slot delays nothing, and neither does a
   * session that has already ended. So a single request, and a slot that was just freed, do not
   * wait.
   */
  private static final class Stagger {
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

    /** Records the end of a session, for which the next start waits no longer. */
    void ended(String ended) {
      if (ended.equals(session)) {
        session = null;
      }
    }

    /** When the next session may start, if it would otherwise start at {@code now}. */
    long notBefore(long now) {
      return session == null ? now : Math.max(now, startedAt + gap);
    }
  }
}
