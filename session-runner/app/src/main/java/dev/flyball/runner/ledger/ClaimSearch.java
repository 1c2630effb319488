package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.WhyNot;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.RequestIndex.Answer;
import dev.flyball.runner.queue.Waiting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One search for the request to claim: the first in order that the ledger would permit. The ledger
 * is asked about a scope once, and its answer applies to all requests that wait in that scope.
 * Lives within one call, on the ledger's thread.
 */
final class ClaimSearch {
  /** The ledger, as if the requests that were passed over were claimed. */
  private LedgerState ledger;

  private final Instant now;
  private final RunnerCallbacks.Self self;
  private final RunnerCallbacks.Declines declines;
  private final Map<Integer, Long> readTo;
  private final Set<String> shut = new HashSet<>();
  private final List<Waiting> used = new ArrayList<>();
  private ClaimSource.Turns turns = (item, profile, home) -> true;
  private int passed;
  private boolean lastResorts;
  private boolean keptBack;
  private @Nullable Candidate found;

  /** A request that may be claimed. */
  record Candidate(LedgerEntry.Claim claim, Waiting waiting) {}

  ClaimSearch(
      LedgerState ledger,
      Instant now,
      RunnerCallbacks.Self self,
      RunnerCallbacks.Declines declines,
      Map<Integer, Long> readTo) {
    this.ledger = ledger;
    this.now = now;
    this.self = self;
    this.declines = declines;
    this.readTo = readTo;
  }

  /**
   * Searches the index for the request of this session. Empty if no request may be claimed, or if
   * it is the turn of other runners at all of the first.
   */
  Optional<Candidate> in(RequestIndex index, String session, ClaimSource.Turns whose) {
    turns = whose;
    index.offer(tenant -> ledger.live(Scope.tenant(tenant)), waiting -> ask(waiting, session));
    if (found == null && keptBack && passed == 0) {
      lastResorts = true;
      index.offer(tenant -> ledger.live(Scope.tenant(tenant)), waiting -> ask(waiting, session));
    }
    used.forEach(it -> index.used(it.key(), it.at()));
    return Optional.ofNullable(found);
  }

  private Answer ask(Waiting waiting, String session) {
    if (lastResorts && used.contains(waiting)) {
      return Answer.NEXT;
    }
    List<String> scopes = Scope.of(waiting.item(), waiting.provider());
    if (barred(scopes, waiting)) {
      return Answer.NEXT_LANE;
    }
    LedgerEntry.Claim claim = claim(waiting, waiting.request(), session);
    Optional<WhyNot> against = ledger.whyNot(claim, now);
    if (against.isPresent()) {
      return after(against.get(), waiting);
    }
    if (!lastResorts && declines.lastResort(waiting)) {
      keptBack = true;
      return Answer.NEXT;
    }
    if (!turns.mayClaim(waiting.item(), waiting.profile(), waiting.home())) {
      return passOver(waiting);
    }
    found = new Candidate(claim, waiting);
    return Answer.ENOUGH;
  }

  /**
   * Goes on as if the runner whose turn it is had claimed the request. So this runner claims
   * another one at the same time only if both fit into every cap and budget.
   */
  private Answer passOver(Waiting waiting) {
    passed++;
    String key = waiting.key();
    ledger = ledger.fold(claim(waiting, key, key), ledger.offset() + 1, now).state();
    return passed < ClaimSource.Turns.WINDOW ? Answer.NEXT_AS_IF_CLAIMED : Answer.ENOUGH;
  }

  private boolean barred(List<String> scopes, Waiting waiting) {
    // Another runner may have the agent. Until one has it, the request waits.
    if (!self.has(waiting.profile())
        || declines.declines(waiting)
        || scopes.stream().anyMatch(shut::contains)) {
      return true;
    }
    String provider = waiting.provider();
    boolean waits = ProviderReturn.waits(ledger, provider, now);
    if (waits && provider != null) {
      shut.add(Scope.provider(provider));
    }
    return waits;
  }

  private Answer after(WhyNot whyNot, Waiting waiting) {
    return switch (whyNot) {
      case WhyNot.AtCap cap -> shut(cap.scope());
      case WhyNot.Paused paused -> shut(paused.scope());
      case WhyNot.OverBudget budget -> shut(budget.scope());
      case WhyNot.RequestUsed had -> {
        used.add(waiting);
        yield Answer.NEXT;
      }
      case WhyNot.ItemBusy busy -> Answer.NEXT;
      case WhyNot.BelowFloor floor -> Answer.NEXT_LANE;
      case WhyNot.Unfit unfit -> Answer.NEXT_LANE;
    };
  }

  private Answer shut(String scope) {
    shut.add(scope);
    return scope.equals(Scope.GLOBAL) ? Answer.ENOUGH : Answer.NEXT_LANE;
  }

  private LedgerEntry.Claim claim(Waiting waiting, String request, String session) {
    return claim(
        waiting, request, session, readTo.getOrDefault(waiting.at().partition(), 0L), self);
  }

  /**
   * Returns the claim of a request.
   *
   * @throws IllegalArgumentException if no claim can name it
   */
  static LedgerEntry.Claim claim(
      Waiting waiting, String request, String session, long readTo, RunnerCallbacks.Self self) {
    return new LedgerEntry.Claim(
        request,
        waiting.at(),
        readTo,
        waiting.item(),
        waiting.attempt(),
        session,
        self.id(),
        waiting.provider(),
        LedgerState.RULES,
        self.reserveMicros(waiting.profile()));
  }
}
