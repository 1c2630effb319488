package dev.flyball.runner.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.WhyNot;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * One search for the request to claim: the first in order that the ledger would permit. The ledger
 * is asked about a scope once, before any body is read, and its answer applies to all requests that
 * wait in that scope. Lives within one call, on the ledger's thread.
 */
final class ClaimSearch {
  /** Placeholder for a request and a session where only their scopes matter. */
  private static final String ANY = "-";

  /** The ledger, as if the requests that were passed over were claimed. */
  private LedgerState ledger;

  private final Instant now;
  private final RunnerCallbacks.Self self;
  private final RunnerCallbacks.Declines declines;
  private final RequestBodies bodies;
  private final Map<Integer, Long> readTo;
  private final Set<String> shut = new HashSet<>();
  private final List<Waiting> used = new ArrayList<>();
  private final List<RequestBoard.Unreadable> unreadable = new ArrayList<>();
  private ClaimSource.Turns turns = (item, profile, home) -> true;
  private int passed;
  private boolean lastResorts;
  private boolean keptBack;
  private @Nullable Candidate found;

  /**
   * A request that may be claimed.
   *
   * @param request its body
   * @param publishedMs append time of its record, epoch milliseconds
   */
  record Candidate(LedgerEntry.Claim claim, SessionRequest request, long publishedMs) {}

  ClaimSearch(
      LedgerState ledger,
      Instant now,
      RunnerCallbacks.Self self,
      RunnerCallbacks.Declines declines,
      RequestBodies bodies,
      Map<Integer, Long> readTo) {
    this.ledger = ledger;
    this.now = now;
    this.self = self;
    this.declines = declines;
    this.bodies = bodies;
    this.readTo = readTo;
  }

  /**
   * Searches the index for the request of this session. Empty if no request may be claimed, if it
   * is the turn of other runners at all of the first, or if the first one's body is still being
   * read.
   */
  Optional<Candidate> in(RequestIndex index, String session, ClaimSource.Turns whose) {
    turns = whose;
    index.offer(tenant -> ledger.live(Scope.tenant(tenant)), waiting -> ask(waiting, session));
    if (found == null && keptBack && passed == 0) {
      lastResorts = true;
      index.offer(tenant -> ledger.live(Scope.tenant(tenant)), waiting -> ask(waiting, session));
    }
    used.forEach(it -> index.used(it.key(), it.partition(), it.offset()));
    return Optional.ofNullable(found);
  }

  /** Whether the ledger permits any waiting request, judged by its scopes. */
  boolean permitsAny(RequestIndex index) {
    var permitted = new AtomicBoolean();
    index.offer(
        tenant -> 0,
        waiting -> {
          List<String> scopes = Scope.of(waiting.item(), waiting.provider());
          if (barred(scopes, waiting)) {
            return Answer.NEXT_LANE;
          }
          Optional<WhyNot> against = againstScopes(waiting);
          permitted.set(against.isEmpty());
          return against.map(each -> after(each, waiting)).orElse(Answer.ENOUGH);
        });
    return permitted.get();
  }

  /** Requests whose head could be read and whose body could not. */
  List<RequestBoard.Unreadable> unreadable() {
    return unreadable;
  }

  private Answer ask(Waiting waiting, String session) {
    if (lastResorts && used.contains(waiting)) {
      return Answer.NEXT;
    }
    try {
      return asked(waiting, session);
    } catch (IllegalArgumentException e) {
      // No claim can name this key. One record must not end the turn, and with it the renewals.
      var record =
          new ConsumerRecord<>(
              bodies.topic(), waiting.partition(), waiting.offset(), waiting.key(), new byte[0]);
      unreadable.add(new RequestBoard.Unreadable(record, String.valueOf(e.getMessage())));
      used.add(waiting);
      return Answer.NEXT;
    }
  }

  private Answer asked(Waiting waiting, String session) {
    List<String> scopes = Scope.of(waiting.item(), waiting.provider());
    if (barred(scopes, waiting)) {
      return Answer.NEXT_LANE;
    }
    Optional<WhyNot> against = againstScopes(waiting);
    if (against.isPresent()) {
      return after(against.get(), waiting);
    }
    if (!lastResorts && declines.lastResort(waiting)) {
      keptBack = true;
      return Answer.NEXT;
    }
    if (!turns.mayClaim(waiting.item(), waiting.profile(), null)) {
      return passOver(waiting);
    }
    var at = new Position(waiting.partition(), waiting.offset());
    Optional<ConsumerRecord<String, byte[]>> body = bodies.get(at);
    if (body.isEmpty()) {
      // Requests are claimed in order, unless a body takes so long that its partition may have no
      // leader.
      return bodies.late(at) ? Answer.NEXT_LANE : Answer.ENOUGH;
    }
    SessionRequest request = read(body.get());
    if (request == null) {
      used.add(waiting);
      return Answer.NEXT;
    }
    LedgerEntry.Claim claim = claim(waiting, request.request(), request.attempt(), session);
    against = ledger.whyNot(claim, now);
    if (against.isPresent()) {
      return after(against.get(), waiting);
    }
    AgentSession resumed = request.resume();
    if (resumed != null && !turns.mayClaim(waiting.item(), waiting.profile(), resumed.home())) {
      return passOver(waiting);
    }
    found = new Candidate(claim, request, body.get().timestamp());
    return Answer.ENOUGH;
  }

  /**
   * Goes on as if the runner whose turn it is had claimed the request. So this runner claims
   * another one at the same time only if both fit into every cap and budget.
   */
  private Answer passOver(Waiting waiting) {
    passed++;
    String key = waiting.key();
    ledger = ledger.fold(claim(waiting, key, 0, key), ledger.offset() + 1, now).state();
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

  /** What the ledger has against a request as far as its scopes show, before its body is read. */
  private Optional<WhyNot> againstScopes(Waiting waiting) {
    return ledger.whyNot(claim(waiting, ANY, 0, ANY), now);
  }

  private LedgerEntry.Claim claim(Waiting waiting, String request, int attempt, String session) {
    return new LedgerEntry.Claim(
        request,
        new Position(waiting.partition(), waiting.offset()),
        readTo.getOrDefault(waiting.partition(), 0L),
        waiting.item(),
        attempt,
        session,
        self.id(),
        waiting.provider(),
        LedgerState.RULES,
        self.reserveMicros(waiting.profile()));
  }

  /** Null if the request was deleted or cannot be read; then it never runs. */
  private @Nullable SessionRequest read(ConsumerRecord<String, byte[]> body) {
    if (body.value() == null) {
      return null;
    }
    try {
      return RecordJson.read(body.value(), SessionRequest.class);
    } catch (UnreadableRecord e) {
      unreadable.add(new RequestBoard.Unreadable(body, String.valueOf(e.getMessage())));
      return null;
    }
  }
}
