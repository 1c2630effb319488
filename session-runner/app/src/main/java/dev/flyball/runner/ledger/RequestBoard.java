package dev.flyball.runner.ledger;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.gate.GateDecision;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.queue.RequestHead;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.EndCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
  private final RequestBodies bodies;
  private Map<Integer, Long> readTo = Map.of();
  private final RequestIndex index = new RequestIndex();
  private final List<Unreadable> unreadable = new ArrayList<>();
  private boolean spentForgotten;
  private @Nullable String refusing;

  /** What this runner declines in this turn. */
  private List<LedgerEntry.Decline> declined = List.of();

  /** Written by the ledger's thread; any thread may read it. */
  private final ConcurrentMap<String, SessionHandle> handles = new ConcurrentHashMap<>();

  /** The request that was offered last: a claim that is pending is of this one. */
  private ClaimSearch.@Nullable Candidate offered;

  /** A record that goes to dead-letters, with its reason. */
  record Unreadable(ConsumerRecord<String, byte[]> consumed, String reason) {}

  RequestBoard(RunnerCallbacks.Self self, RunnerCallbacks.Gate gate, RequestBodies bodies) {
    this(self, gate, RunnerCallbacks.Declines.NONE, bodies);
  }

  RequestBoard(
      RunnerCallbacks.Self self,
      RunnerCallbacks.Gate gate,
      RunnerCallbacks.Declines declines,
      RequestBodies bodies) {
    this.self = self;
    this.gate = gate;
    this.declines = declines;
    this.bodies = bodies;
  }

  /** Begins a turn: what this runner declines may have changed. */
  void turn() {
    declined = declines.turn(index.groups());
  }

  @Override
  public Optional<LedgerEntry.Claim> next(String session, LedgerState ledger, Instant ledgerNow) {
    return next(session, ledger, ledgerNow, (item, profile, home) -> true);
  }

  @Override
  public Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
    if (!(gate.decide(handles.size()) instanceof GateDecision.Open)) {
      return Optional.empty();
    }
    forgetSpent(ledger);
    var search = new ClaimSearch(ledger, ledgerNow, self, declines, bodies, readTo);
    Optional<ClaimSearch.Candidate> found = search.in(index, session, turns);
    unreadable.addAll(search.unreadable());
    found.ifPresent(it -> offered = it);
    return found.map(ClaimSearch.Candidate::claim);
  }

  /**
   * Drops spent requests from the index. A runner that began at a checkpoint has read no claim of
   * them. Without this it would read the body of each, at the head of the queue, to learn that it
   * is spent.
   */
  private void forgetSpent(LedgerState ledger) {
    if (!spentForgotten) {
      spentForgotten = true;
      ledger
          .spentRequests()
          .forEach(it ->
              index.used(
                  it.item().toString(), it.requestAt().partition(), it.requestAt().offset()));
    }
  }

  /** Stops all claims of this runner, whatever its gate decides; its entry carries this reason. */
  void refuse(String label) {
    refusing = label;
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

  @Override
  public boolean wanted(Lease lease) {
    return index.current(
        lease.item().toString(), lease.requestAt().partition(), lease.requestAt().offset());
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
    String closed = refusing != null ? refusing : everything();
    String reason =
        closed != null
            ? closed
            : switch (gate.decide(handles.size())) {
              case GateDecision.Open open -> null;
              case GateDecision.Refused refused ->
                  refused.kind() == GateDecision.Kind.SLOTS ? null : refused.kind().label();
            };
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
   * @throws UnreadableRecord if it is neither a request nor a tombstone. What was wanted before
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
    item(key);
    RequestHead head = RequestHead.read(value);
    index.put(
        key,
        consumed.partition(),
        consumed.offset(),
        head.provider(),
        Objects.requireNonNullElse(head.profile(), Route.DEFAULT),
        head.polledBy(),
        SessionRequest.turn(head.priority(), Instant.ofEpochMilli(head.sinceMs())));
    bodies.keep(consumed);
    unwanted(consumed, "request was replaced by a newer one");
  }

  private void unwanted(ConsumerRecord<String, byte[]> by, String why) {
    for (SessionHandle handle : handles.values()) {
      Position at = handle.lease().requestAt();
      if (handle.item().toString().equals(by.key())
          && !(at.partition() == by.partition() && at.offset() == by.offset())) {
        handle.stop(new EndCause.Unwanted(why));
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

  /**
   * Records that a partition's records from this offset on were lost, and that others may take
   * their offsets.
   */
  void lost(int partition, long from) {
    index.lost(partition, from);
    bodies.lost(partition, from);
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

  /** Records a claim of any runner that took effect: its request has its session. */
  void claimed(Lease lease) {
    index.used(lease.item().toString(), lease.requestAt().partition(), lease.requestAt().offset());
    index.served(lease.item().tenant());
  }

  /** The request that was offered for this session's claim; empty if another was offered since. */
  Optional<ClaimSearch.Candidate> offered(String session) {
    return Optional.ofNullable(offered).filter(it -> it.claim().session().equals(session));
  }

  void add(SessionHandle handle) {
    handles.put(handle.session(), handle);
  }

  Optional<SessionHandle> handle(String session) {
    return Optional.ofNullable(handles.get(session));
  }

  Optional<SessionHandle> remove(String session) {
    return Optional.ofNullable(handles.remove(session));
  }

  /** Every session whose end the ledger does not show yet. */
  Map<String, SessionHandle> sessions() {
    return Map.copyOf(handles);
  }

  /**
   * Whether the global cap holds up a request: one waits that the ledger would permit without the
   * cap.
   */
  boolean heldByCap(LedgerState ledger, Instant ledgerNow) {
    if (waiting() == 0 || !ledger.initialized() || ledger.live() < ledger.cap()) {
      return false;
    }
    long seen = ledger.lastOperator(Scope.GLOBAL);
    var lifted = new LedgerEntry.Cap(Scope.GLOBAL, Integer.MAX_VALUE, seen, self.id(), "what if");
    LedgerState uncapped = ledger.fold(lifted, ledger.offset() + 1, ledgerNow).state();
    return new ClaimSearch(uncapped, ledgerNow, self, declines, bodies, readTo).permitsAny(index);
  }

  /** Whether no request waits and no session runs. */
  boolean idle() {
    return waiting() == 0 && handles.isEmpty();
  }

  int waiting() {
    return index.size();
  }
}
