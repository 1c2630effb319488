package dev.flyball.runner.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.ledger.WhyNot;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.RequestIndex.Answer;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.End;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The requests that this runner could run and the sessions that it runs. Answers the lease
 * protocol's questions from memory. Owned by the ledger's thread; any thread may call {@link
 * #sessions}.
 */
final class RequestBoard implements ClaimSource {
  private final RunnerCallbacks.Self self;
  private final RunnerCallbacks.Gate gate;
  private final RunnerCallbacks.Declines declines;
  private Map<Integer, Long> readTo = Map.of();
  private final RequestIndex index = new RequestIndex();
  private boolean spentForgotten;
  private @Nullable String refusing;

  /** What this runner declines in this turn. */
  private List<LedgerEntry.Decline> declined = List.of();

  /** Written by the ledger's thread; any thread may read it. */
  private final ConcurrentMap<String, Session> handles = new ConcurrentHashMap<>();

  /** The request that was offered last: a claim that is pending is of this one. */
  private @Nullable Candidate offered;

  record Candidate(LedgerEntry.Claim claim, Waiting waiting) {}

  RequestBoard(
      RunnerCallbacks.Self self, RunnerCallbacks.Gate gate, RunnerCallbacks.Declines declines) {
    this.self = self;
    this.gate = gate;
    this.declines = declines;
  }

  /** Begins a turn: what this runner declines may have changed. */
  void turn() {
    declined = declines.turn(index.groups());
  }

  @Override
  public Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
    if (gate.refusal(handles.size()).isPresent()) {
      return Optional.empty();
    }
    forgetSpent(ledger);
    Optional<Candidate> found = new Search(ledger, ledgerNow, turns).of(session);
    found.ifPresent(it -> offered = it);
    return found.map(Candidate::claim);
  }

  /** Drops spent requests: a runner that began at a checkpoint has read no claim of them. */
  private void forgetSpent(LedgerState ledger) {
    if (!spentForgotten) {
      spentForgotten = true;
      ledger.spentRequests().forEach(it -> index.used(it.item().toString(), it.requestAt()));
    }
  }

  /** Stops all claims of this runner, whatever its gate decides; its entry carries this reason. */
  void refuse(String label) {
    refusing = label;
  }

  @Override
  public boolean wanted(Lease lease) {
    return index.current(lease.item().toString(), lease.requestAt());
  }

  @Override
  public LedgerEntry.Usage usage(String session) {
    Session handle = handles.get(session);
    return handle == null ? new LedgerEntry.Usage(session, 0, 0) : handle.usage();
  }

  @Override
  public OptionalLong replacedBy(SpentRequest spent) {
    Position at = spent.requestAt();
    Optional<Waiting> newest = index.newest(spent.item().toString());
    if (newest.isPresent()) {
      long offset = newest.get().at().offset();
      return offset == at.offset() ? OptionalLong.empty() : OptionalLong.of(offset);
    }
    long lastRead = readTo(at.partition()) - 1;
    return lastRead > at.offset() ? OptionalLong.of(lastRead) : OptionalLong.empty();
  }

  @Override
  public LedgerEntry.Runner self() {
    String closed = refusing != null ? refusing : everything();
    String reason =
        closed != null
            ? closed
            : gate.refusal(handles.size())
                .map(GateRefusal::kind)
                .filter(kind -> kind != GateRefusal.Kind.SLOTS)
                .map(GateRefusal.Kind::label)
                .orElse(null);
    return new LedgerEntry.Runner(
        self.id(),
        LedgerState.RULES,
        self.level(),
        Math.max(0, self.slots() - gate.unkillable()),
        reason,
        self.furtherProfiles(),
        declined,
        self.reserves());
  }

  /** The fault that concerns every request; null if there is none. */
  private @Nullable String everything() {
    return declined.stream()
        .filter(each -> each.profile() == null && each.source() == null)
        .map(each -> each.code() + ": " + each.reason())
        .findFirst()
        .orElse(null);
  }

  /**
   * Takes a record of session-requests. A session that runs for its item under another record is no
   * longer wanted.
   *
   * @throws RuntimeException if it is neither a request nor a tombstone. What was wanted before
   *     stays wanted: triage-stream wrote no replacement, and would wait for its request for ever
   */
  void read(ConsumerRecord<String, byte[]> consumed) {
    String key = consumed.key();
    if (key == null) {
      throw new UnreadableRecord("a session request without a key");
    }
    byte[] value = consumed.value();
    if (value == null) {
      index.withdraw(key);
      unwanted(consumed, "request was withdrawn");
      return;
    }
    var at = new Position(consumed.partition(), consumed.offset());
    SessionRequest request = RecordJson.read(value, SessionRequest.class);
    Waiting waiting = Waiting.of(key, at, request, consumed.timestamp());
    // A claim must be able to name it, or each turn would fail.
    var _ = claim(waiting, waiting.request(), self.id());
    index.put(waiting);
    unwanted(consumed, "request was replaced by a newer one");
  }

  private void unwanted(ConsumerRecord<String, byte[]> by, String why) {
    for (Session handle : handles.values()) {
      Position at = handle.lease().requestAt();
      if (handle.item().toString().equals(by.key())
          && !(at.partition() == by.partition() && at.offset() == by.offset())) {
        handle.stop(End.of(End.Cause.UNWANTED, why));
      }
    }
  }

  /** Sets the reader's positions in session-requests, after the last record that was read. */
  void readTo(Map<Integer, Long> positions) {
    readTo = positions;
  }

  Map<Integer, Long> readTo() {
    return readTo;
  }

  /** Records that a partition's records from here on were lost; others may take their offsets. */
  void lost(int partition, long from) {
    index.lost(partition, from);
  }

  private long readTo(int partition) {
    return readTo.getOrDefault(partition, 0L);
  }

  /** Records a claim of any runner that took effect: its request has its session. */
  void claimed(Lease lease) {
    index.used(lease.item().toString(), lease.requestAt());
    index.served(lease.item().tenant());
  }

  /** The request that was offered for this session's claim; empty if another was offered since. */
  Optional<Candidate> offered(String session) {
    return Optional.ofNullable(offered).filter(it -> it.claim().session().equals(session));
  }

  void add(Session handle) {
    handles.put(handle.id(), handle);
  }

  Optional<Session> handle(String session) {
    return Optional.ofNullable(handles.get(session));
  }

  Optional<Session> remove(String session) {
    return Optional.ofNullable(handles.remove(session));
  }

  /** Every session whose end the ledger does not show yet. */
  Map<String, Session> sessions() {
    return Map.copyOf(handles);
  }

  /** Whether requests wait while no permit is free. */
  boolean heldByCap(LedgerState ledger) {
    return waiting() > 0 && ledger.initialized() && ledger.full();
  }

  /** Whether no request waits and no session runs. */
  boolean idle() {
    return waiting() == 0 && handles.isEmpty();
  }

  int waiting() {
    return index.size();
  }

  /**
   * Returns the claim of a request.
   *
   * @throws IllegalArgumentException if no claim can name it
   */
  private LedgerEntry.Claim claim(Waiting waiting, String request, String session) {
    return new LedgerEntry.Claim(
        request,
        waiting.at(),
        readTo(waiting.at().partition()),
        waiting.item(),
        waiting.attempt(),
        session,
        self.id(),
        waiting.provider(),
        LedgerState.RULES,
        self.reserveMicros(waiting.profile()));
  }

  /**
   * One search for the request to claim: the first in order that the ledger would permit. The
   * ledger is asked about a scope once, and its answer applies to all requests that wait in that
   * scope. Lives within one call, on the ledger's thread.
   */
  private final class Search {
    /** The ledger, as if the requests that were passed over were claimed. */
    private LedgerState ledger;

    private final Instant now;
    private final Turns turns;
    private final Set<String> shut = new HashSet<>();
    private final List<Waiting> used = new ArrayList<>();
    private int passed;
    private boolean lastResorts;

    /** Profiles of the requests that were kept back for another of the same profile. */
    private final Set<String> keptBack = new HashSet<>();

    private @Nullable Candidate found;

    Search(LedgerState ledger, Instant now, Turns turns) {
      this.ledger = ledger;
      this.now = now;
      this.turns = turns;
    }

    /**
     * Searches for the request of this session. Empty if no request may be claimed, or if it is the
     * turn of other runners at all of the first.
     */
    Optional<Candidate> of(String session) {
      index.offer(tenant -> ledger.live(Scope.tenant(tenant)), waiting -> ask(waiting, session));
      if (found != null) {
        // Another profile decides nothing: its backlog is no reason to keep a request back.
        keptBack.remove(found.waiting().profile());
      }
      if (!keptBack.isEmpty() && passed == 0) {
        lastResorts = true;
        index.offer(tenant -> ledger.live(Scope.tenant(tenant)), waiting -> ask(waiting, session));
      }
      used.forEach(it -> index.used(it.key(), it.at()));
      return Optional.ofNullable(found);
    }

    private Answer ask(Waiting waiting, String session) {
      if (lastResorts) {
        if (found != null && found.waiting().equals(waiting)) {
          return Answer.ENOUGH;
        } else if (used.contains(waiting)
            || (found != null && !keptBack.contains(waiting.profile()))
            || !declines.lastResort(waiting)) {
          return Answer.NEXT;
        }
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
        keptBack.add(waiting.profile());
        return Answer.NEXT;
      }
      if (!turns.mayClaim(waiting.item(), waiting.profile(), first(waiting))) {
        return found == null ? passOver(waiting) : Answer.NEXT;
      }
      found = new Candidate(claim, waiting);
      return Answer.ENOUGH;
    }

    /** The runners that go first at a request, by id. */
    private Predicate<String> first(Waiting waiting) {
      return lastResorts ? id -> !id.equals(self.id()) : id -> id.equals(waiting.home());
    }

    /**
     * Goes on as if the runner whose turn it is had claimed the request. So this runner claims
     * another one at the same time only if both fit into every cap and budget.
     */
    private Answer passOver(Waiting waiting) {
      passed++;
      String key = waiting.key();
      ledger = ledger.fold(claim(waiting, key, key), ledger.offset() + 1, now).state();
      return passed < Turns.WINDOW ? Answer.NEXT_AS_IF_CLAIMED : Answer.ENOUGH;
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
  }
}
