package dev.flyball.contract.ledger;

import dev.flyball.contract.item.ItemKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ledger's state after some entry. Immutable: {@link #fold} and {@link #skip} return the next
 * state. It depends only on the log: no configuration, no clock (an entry's append time serves only
 * {@code pause until} and the budget's UTC day).
 */
public final class LedgerState {
  /** The newest rules that this code folds by; the property serves rehearsals of an upgrade. */
  public static final int RULES = Integer.getInteger("flyball.ledger.rules", 1);

  private static final LedgerState EMPTY =
      new LedgerState(new Base(-1, 1, null, 0, -1), Parts.NONE, Digest.History.EMPTY);

  private final Base base;
  private final Parts parts;

  /** The digests of the last changes; the newest is the one of this state. */
  private final Digest.History digests;

  private LedgerState(Base base, Parts parts, Digest.History digests) {
    this.base = base;
    this.parts = parts;
    this.digests = digests;
  }

  /**
   * The single values.
   *
   * @param offset the offset of the last entry folded
   * @param initialCap the cap that init set, null before it
   * @param checkpoint offset of the last checkpoint read, -1 if none
   */
  record Base(long offset, int rules, @Nullable Integer initialCap, long leaseMs, long checkpoint) {
    Base at(long to) {
      return new Base(to, rules, initialCap, leaseMs, checkpoint);
    }

    Base seeded(int cap, long lease) {
      return new Base(offset, rules, cap, lease, checkpoint);
    }

    Base rules(int n) {
      return new Base(offset, n, initialCap, leaseMs, checkpoint);
    }

    Base checkpoint(long at) {
      return new Base(offset, rules, initialCap, leaseMs, at);
    }
  }

  /** The parts of the state that have separate rules. */
  record Parts(
      Leases leases, Requests requests, Operators operators, Spending spending, Runners runners) {
    static final Parts NONE =
        new Parts(Leases.NONE, Requests.NONE, Operators.NONE, Spending.NONE, Runners.NONE);

    Parts leases(Leases changed) {
      return new Parts(changed, requests, operators, spending, runners);
    }

    Parts requests(Requests changed) {
      return new Parts(leases, changed, operators, spending, runners);
    }

    Parts operators(Operators changed) {
      return new Parts(leases, requests, changed, spending, runners);
    }

    Parts spending(Spending changed) {
      return new Parts(leases, requests, operators, changed, runners);
    }

    Parts runners(Runners changed) {
      return new Parts(leases, requests, operators, spending, changed);
    }
  }

  /** The state before the first entry: the cap is 0. */
  public static LedgerState empty() {
    return EMPTY;
  }

  /**
   * Restores a checkpoint's state. If its rules are unknown to this code, the state is stopped: see
   * {@link #unknownRules}.
   *
   * @throws dev.flyball.contract.json.UnreadableRecord if it is broken; an older checkpoint may be
   *     readable
   */
  public static LedgerState restore(LedgerSnapshot snapshot) {
    return SavedState.restored(snapshot);
  }

  static LedgerState of(Base base, Parts parts) {
    Digest digest = Digest.of(base, parts);
    return new LedgerState(base, parts, new Digest.History(base.offset(), digest, 1, null));
  }

  static LedgerState stopped(long offset, int rules) {
    return of(new Base(offset, rules, null, 0, -1), Parts.NONE);
  }

  /**
   * Applies one entry. An entry at or below {@link #offset} has no effect, so a record read twice
   * does no harm.
   *
   * @param offset the entry's offset in the log
   * @param appendTime the broker's append time
   */
  public Folded fold(LedgerEntry entry, long offset, Instant appendTime) {
    if (unknownRules().isPresent()) {
      return new Folded(this, new Effect.UnknownRules(base.rules()));
    }
    if (offset <= base.offset()) {
      return new Folded(this, new Effect.None("read before"));
    }
    return new FoldStep(withoutOverdue(appendTime), offset, appendTime).apply(entry);
  }

  /** Skips a record that is no entry: it only moves {@link #offset}. */
  public LedgerState skip(long offset) {
    return offset <= base.offset() ? this : at(offset);
  }

  /** This state in one piece, however large; for a topic see {@link CheckpointParts}. */
  public LedgerSnapshot snapshot() {
    return SavedState.of(this);
  }

  /** The digest that readers compare: leases' offsets, spent requests, floors, operator offsets. */
  public String digest() {
    return digests.digest().toString();
  }

  /** Offset of the last record folded, -1 before the first. */
  public long offset() {
    return base.offset();
  }

  /** The rules in force. */
  public int rules() {
    return base.rules();
  }

  /** The rules in force if this code does not know them; then nothing is folded any more. */
  public Optional<Integer> unknownRules() {
    return base.rules() > RULES ? Optional.of(base.rules()) : Optional.empty();
  }

  /** Offset of the last checkpoint read while folding, -1 if none. */
  public long lastCheckpoint() {
    return base.checkpoint();
  }

  /** Whether {@code init} took effect. */
  public boolean initialized() {
    return base.initialCap() != null;
  }

  /** The global cap; 0 before {@code init}, unless an operator set one. */
  public int cap() {
    Integer cap = parts.operators().cap(Scope.GLOBAL);
    return cap == null ? 0 : cap;
  }

  /** The cap of a scope; empty if none was set for it. */
  public Optional<Integer> cap(String scope) {
    return Optional.ofNullable(parts.operators().cap(scope));
  }

  /** Every scope with a cap, in order; the global one is among them. */
  public List<String> capped() {
    return parts.operators().capped();
  }

  /** The lease that {@code init} set; zero before it. */
  public Duration leaseTime() {
    return Duration.ofMillis(base.leaseMs());
  }

  /** A copy of all open leases; call it rarely, as there may be many. */
  public Collection<Lease> leases() {
    return parts.leases().all();
  }

  /** How many leases are open. */
  public int live() {
    return parts.leases().size();
  }

  /** Whether no further lease fits under the global cap. */
  public boolean full() {
    return live() >= cap();
  }

  /** How many of a scope's leases are open. */
  public int live(String scope) {
    return parts.leases().total(scope).open();
  }

  /**
   * Why a runner would claim no request for this profile of this source now, whatever the ledger
   * permits; empty if it would.
   *
   * @param runner its newest entry
   * @param source {@code tenant/source}
   */
  public Optional<String> refusal(LedgerEntry.Runner runner, String profile, String source) {
    int taken = parts.leases().held(runner.id());
    return runner
        .fault(profile, source)
        .or(() -> Optional.ofNullable(runner.refusing()))
        .or(() ->
            taken < runner.slots()
                ? Optional.empty()
                : Optional.of(taken + " of " + runner.slots() + " slots taken"));
  }

  /** The open lease of a session. */
  public Optional<Lease> lease(String session) {
    return Optional.ofNullable(parts.leases().ofSession(session));
  }

  /** The open lease of an item. */
  public Optional<Lease> leaseOf(ItemKey item) {
    return Optional.ofNullable(parts.leases().ofItem(item));
  }

  /** Whether a request's session has ended and the request is not settled yet. */
  public boolean spent(String request) {
    return parts.requests().spent(request) != null;
  }

  /** Every request that waits to be settled. */
  public Collection<SpentRequest> spentRequests() {
    return parts.requests().spent().values();
  }

  /** How many requests wait to be settled. */
  public int unsettled() {
    return parts.requests().spent().size();
  }

  /** The lowest {@code readTo} that a claim from this partition of session-requests needs. */
  public long floor(int partition) {
    return parts.requests().floor(partition);
  }

  /** Every pause in force at this append time. */
  public List<LedgerEntry.Pause> pauses(Instant now) {
    return parts.operators().pauses(now);
  }

  /** A scope's newest pause, in force or over; empty if there was none or it was resumed. */
  public Optional<LedgerEntry.Pause> lastPause(String scope) {
    return Optional.ofNullable(parts.operators().pauses().get(scope));
  }

  /** The newest entry of each of the last 256 runners, the most recent entry at the end. */
  public Collection<LedgerEntry.Runner> runners() {
    return parts.runners().heard().stream().map(Runners.Heard::runner).toList();
  }

  /**
   * The runners that are alive. A runner announces itself every two thirds of a lease, and counts
   * as alive for three times as long.
   *
   * @param now near the broker's clock
   */
  public List<LedgerEntry.Runner> live(Instant now) {
    Instant since = now.minus(leaseTime().multipliedBy(2));
    return parts.runners().heard().stream()
        .filter(each -> !Instant.ofEpochMilli(each.appendMs()).isBefore(since))
        .map(Runners.Heard::runner)
        .toList();
  }

  /**
   * What a claim of each profile holds back, in micro-dollars: the least that a live runner
   * announces.
   *
   * @param configured what this process would hold back; it counts only while no runner lives, or
   *     one that announces none, for the profiles that no runner announces
   * @param now near the broker's clock
   */
  public Map<String, Long> reserves(Map<String, Long> configured, Instant now) {
    List<LedgerEntry.Runner> live = live(now);
    var least = new HashMap<String, Long>();
    for (LedgerEntry.Runner runner : live) {
      Map<String, Long> announced = runner.reserves();
      if (announced != null) {
        announced.forEach((profile, reserve) -> least.merge(profile, reserve, Math::min));
      }
    }
    if (live.isEmpty() || live.stream().anyMatch(runner -> runner.reserves() == null)) {
      configured.forEach(least::putIfAbsent);
    }
    return least;
  }

  /** Append time of a runner's newest entry. */
  public Optional<Instant> heard(String runner) {
    return parts.runners().heard().stream()
        .filter(each -> each.runner().id().equals(runner))
        .map(each -> Instant.ofEpochMilli(each.appendMs()))
        .findFirst();
  }

  /** Offset of a scope's last effective operator entry, -1 if none; the next carries it as seen. */
  public long lastOperator(String scope) {
    return parts.operators().last(scope);
  }

  /** A scope's limits; {@link Limits#NONE} if it has none. */
  public Limits limits(String scope) {
    return parts.operators().limits(scope);
  }

  /** Whether init or an operator has set a scope's limits, be it to none. */
  public boolean limitsSet(String scope) {
    return parts.operators().limits().containsKey(scope);
  }

  /** Micro-dollars booked to a scope on the UTC day of this append time. */
  public long spentMicros(String scope, Instant now) {
    return parts.spending().spent(scope, Spending.day(now)).costMicros();
  }

  /** Tokens booked to a scope on the UTC day of this append time. */
  public long spentTokens(String scope, Instant now) {
    return parts.spending().spent(scope, Spending.day(now)).tokens();
  }

  /** Micro-dollars that a scope's open leases and calls of triage hold back and have not spent. */
  public long reservedMicros(String scope) {
    return Spending.saturated(parts.leases().total(scope).reserved(), parts.spending().held(scope));
  }

  /** Whether a reserve took effect and is not settled yet. */
  public boolean holds(String ref) {
    return parts.spending().holds(ref);
  }

  /** Every scope's budget and what is spent of it on the UTC day of this append time, by scope. */
  public List<BudgetUse> budgets(Instant now) {
    return budgets(parts.operators().limits().keySet().stream().sorted(), now).toList();
  }

  private Stream<BudgetUse> budgets(Stream<String> scopes, Instant now) {
    return scopes
        .map(scope -> BudgetUse.of(this, scope, Spending.day(now)))
        .filter(use -> !use.limits().equals(Limits.NONE));
  }

  /** The first budget for which a running session is to be ended; empty if it may go on. */
  public Optional<BudgetUse> overBudget(Lease lease, Instant now) {
    return budgets(Scope.of(lease.item(), lease.provider()).stream(), now)
        .filter(use -> use.ends(lease))
        .findFirst();
  }

  /** Why this claim would have no effect now; empty if it would take effect. */
  public Optional<WhyNot> whyNot(LedgerEntry.Claim claim, Instant now) {
    return Optional.ofNullable(new ClaimRule(this).against(claim, now));
  }

  Parts parts() {
    return parts;
  }

  Base base() {
    return base;
  }

  Digest sum() {
    return digests.digest();
  }

  /** The digest after {@code at}; null if that is no longer kept. */
  @Nullable Digest sumAt(long at) {
    return digests.at(at);
  }

  /** The same facts, read up to {@code offset}. */
  LedgerState at(long offset) {
    return new LedgerState(base.at(offset), parts, digests);
  }

  private LedgerState withoutOverdue(Instant appendTime) {
    List<Spending.Hold> overdue = parts.spending().overdue(appendTime);
    return overdue.isEmpty()
        ? this
        : new LedgerState(
            base, parts.spending(parts.spending().settled(overdue, appendTime)), digests);
  }

  LedgerState changed(Base to, Parts with, Digest digest) {
    return new LedgerState(
        to, with, digest.equals(sum()) ? digests : digests.then(to.offset(), digest));
  }

  /** The state after an entry, and the entry's effect. */
  public record Folded(LedgerState state, Effect effect) {}
}
