package dev.flyball.runner.ledger;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Position;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.ledger.WhyNot;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.gate.GateDecision;
import dev.flyball.runner.lease.Demand;
import dev.flyball.runner.lease.ProviderReturn;
import dev.flyball.runner.lease.Wish;
import dev.flyball.runner.request.RequestHead;
import dev.flyball.runner.request.RequestIndex;
import dev.flyball.runner.request.Waiting;
import dev.flyball.runner.session.EndCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What this runner could run and what it runs: answers the lease protocol's questions from memory.
 * Owned by the ledger's thread.
 */
final class Board implements Demand {
  /** How many requests are passed over in one search, each with the ledger's reason. */
  private static final int SEARCH = 64;

  private final RunnerSelf self;
  private final LocalGate gate;
  private final RequestBodies bodies;
  private Map<Integer, Long> readTo = Map.of();
  private final RequestIndex index = new RequestIndex();
  private final List<Unreadable> unreadable = new ArrayList<>();
  private final Map<String, SessionHandle> handles = new HashMap<>();
  private final Map<String, Chosen> chosen =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Chosen> eldest) {
          return size() > SEARCH;
        }
      };

  /**
   * What this runner says of itself.
   *
   * @param reserveMicros what each claim holds back
   */
  record RunnerSelf(String id, String level, int slots, long reserveMicros) {}

  /** A record for dead-letters. */
  record Unreadable(ConsumerRecord<String, byte[]> consumed, String reason) {}

  /** A request that was offered for a claim, with its body. */
  record Chosen(SessionRequest request, long publishedMs) {}

  Board(RunnerSelf self, LocalGate gate, RequestBodies bodies) {
    this.self = self;
    this.gate = gate;
    this.bodies = bodies;
  }

  @Override
  public Optional<Wish> next(LedgerState ledger, Instant ledgerNow) {
    if (!(gate.decide(handles.size()) instanceof GateDecision.Open)) {
      return Optional.empty();
    }
    var live = liveByTenant(ledger.leases());
    var shut = new HashSet<String>();
    ledger.pauses(ledgerNow).forEach(pause -> shut.add(pause.scope()));
    var passed = new HashSet<Waiting>();
    for (int i = 0; i < SEARCH; i++) {
      Optional<Waiting> found =
          index.next(
              tenant -> live.getOrDefault(tenant, 0),
              waiting -> !passed.contains(waiting) && eligible(waiting.item(), ledger, shut));
      if (found.isEmpty()) {
        return Optional.empty();
      }
      Waiting waiting = found.get();
      var at = new Position(waiting.partition(), waiting.offset());
      Optional<RequestBodies.Body> body = bodies.get(at);
      if (body.isEmpty()) {
        return Optional.empty();
      }
      Optional<Wish> wish = body(waiting, body.get()).map(request -> wish(waiting, at, request));
      if (wish.isEmpty()) {
        index.used(waiting.item().toString(), at.partition(), at.offset());
        continue;
      }
      Optional<WhyNot> whyNot = ledger.whyNot(probe(wish.get()), ledgerNow);
      if (whyNot.isEmpty()) {
        if (!ProviderReturn.waits(ledger, wish.get().provider(), ledgerNow)) {
          return wish;
        }
        passed.add(waiting);
        continue;
      }
      if (!passOver(whyNot.get(), waiting, shut, passed)) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Notes why a request cannot run now; false if none can. */
  private boolean passOver(WhyNot whyNot, Waiting waiting, Set<String> shut, Set<Waiting> passed) {
    passed.add(waiting);
    return switch (whyNot) {
      case WhyNot.AtCap cap -> shut.add(cap.scope()) && !cap.scope().equals(Scope.GLOBAL);
      case WhyNot.Paused paused -> shut.add(paused.scope()) && !paused.scope().equals(Scope.GLOBAL);
      case WhyNot.OverBudget budget ->
          shut.add(budget.scope()) && !budget.scope().equals(Scope.GLOBAL);
      case WhyNot.RequestUsed used -> {
        index.used(waiting.item().toString(), waiting.partition(), waiting.offset());
        yield true;
      }
      case WhyNot.ItemBusy busy -> true;
      case WhyNot.BelowFloor floor -> true;
      case WhyNot.Unfit unfit -> false;
    };
  }

  private static boolean eligible(ItemKey item, LedgerState ledger, Set<String> shut) {
    return ledger.leaseOf(item).isEmpty()
        && (shut.isEmpty() || Scope.of(item, null).stream().noneMatch(shut::contains));
  }

  private static Map<String, Integer> liveByTenant(Collection<Lease> leases) {
    var live = new HashMap<String, Integer>();
    leases.forEach(lease -> live.merge(lease.item().tenant(), 1, Integer::sum));
    return live;
  }

  private Optional<SessionRequest> body(Waiting waiting, RequestBodies.Body body) {
    byte[] value = body.value();
    if (value == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(RecordJson.read(value, SessionRequest.class));
    } catch (UnreadableRecord e) {
      var record =
          new ConsumerRecord<>(
              bodies.topic(),
              waiting.partition(),
              waiting.offset(),
              waiting.item().toString(),
              value);
      unreadable.add(new Unreadable(record, String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  /** Requests whose head could be read and whose body could not, since the last call. */
  List<Unreadable> unreadable() {
    if (unreadable.isEmpty()) {
      return List.of();
    }
    List<Unreadable> all = List.copyOf(unreadable);
    unreadable.clear();
    return all;
  }

  private Wish wish(Waiting waiting, Position at, SessionRequest request) {
    long published = bodies.get(at).map(RequestBodies.Body::publishedMs).orElse(waiting.sinceMs());
    chosen.put(request.request(), new Chosen(request, published));
    return new Wish(
        request.request(),
        at,
        readTo(at.partition()),
        waiting.item(),
        request.attempt(),
        request.provider(),
        self.reserveMicros());
  }

  private LedgerEntry.Claim probe(Wish wish) {
    return new LedgerEntry.Claim(
        wish.request(),
        wish.requestAt(),
        wish.readTo(),
        wish.item(),
        wish.attempt(),
        UUID.randomUUID().toString(),
        self.id(),
        wish.provider(),
        LedgerState.RULES,
        wish.reserve());
  }

  @Override
  public boolean wanted(Wish wish) {
    return index.current(
        wish.item().toString(), wish.requestAt().partition(), wish.requestAt().offset());
  }

  @Override
  public LedgerEntry.Usage usage(String session) {
    SessionHandle handle = handles.get(session);
    return handle == null ? new LedgerEntry.Usage(session, 0, 0) : handle.usage();
  }

  @Override
  public OptionalLong replacedBy(SpentRequest spent) {
    Position at = spent.requestAt();
    Optional<Waiting> newest = index.newest(spent.item().toString());
    if (newest.isPresent()) {
      return newest.get().offset() == at.offset()
          ? OptionalLong.empty()
          : OptionalLong.of(newest.get().offset());
    }
    long lastRead = readTo(at.partition()) - 1;
    return lastRead > at.offset() ? OptionalLong.of(lastRead) : OptionalLong.empty();
  }

  @Override
  public LedgerEntry.Runner self() {
    String refusing =
        switch (gate.decide(handles.size())) {
          case GateDecision.Open open -> null;
          case GateDecision.Refused refused ->
              refused.kind() == GateDecision.Kind.SLOTS ? null : refused.kind().label();
        };
    return new LedgerEntry.Runner(
        self.id(), LedgerState.RULES, self.level(), self.slots(), refusing);
  }

  /**
   * A record of session-requests was read: whatever ran for its item under another record is no
   * longer wanted.
   *
   * @throws UnreadableRecord if it is neither a request nor a tombstone; what was wanted before
   *     stays wanted: triage wrote nothing, and would wait for its request for ever
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
    item(key);
    RequestHead head = RequestHead.read(value);
    index.withdraw(key);
    index.put(key, consumed.partition(), consumed.offset(), head.priority(), head.sinceMs());
    bodies.keep(new Position(consumed.partition(), consumed.offset()), value, consumed.timestamp());
    unwanted(consumed, "request was replaced by a newer one");
  }

  private void unwanted(ConsumerRecord<String, byte[]> by, String why) {
    for (SessionHandle handle : handles.values()) {
      Position at = handle.assignment().at();
      if (handle.assignment().item().toString().equals(by.key())
          && !(at.partition() == by.partition() && at.offset() == by.offset())) {
        handle.stop(new EndCause.Unwanted(why));
      }
    }
  }

  /** Where the reader of session-requests stands after what was read last. */
  void readTo(Map<Integer, Long> positions) {
    readTo = positions;
  }

  private long readTo(int partition) {
    return readTo.getOrDefault(partition, 0L);
  }

  private static void item(String key) {
    try {
      ItemKey.parse(key);
    } catch (IllegalArgumentException e) {
      throw new UnreadableRecord("key " + e.getMessage());
    }
  }

  /** Somebody's claim took effect: its request has its session. */
  void claimed(Lease lease) {
    index.used(lease.item().toString(), lease.requestAt().partition(), lease.requestAt().offset());
    index.served(lease.item().tenant());
  }

  /** The body of a request that was offered for a claim. */
  Optional<Chosen> chosen(String request) {
    return Optional.ofNullable(chosen.remove(request));
  }

  void add(SessionHandle handle) {
    handles.put(handle.assignment().session(), handle);
  }

  Optional<SessionHandle> handle(String session) {
    return Optional.ofNullable(handles.get(session));
  }

  void remove(String session) {
    handles.remove(session);
  }

  Collection<SessionHandle> handles() {
    return handles.values();
  }

  int waiting() {
    return index.size();
  }
}
