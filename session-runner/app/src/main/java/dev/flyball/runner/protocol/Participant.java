package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LedgerState.Folded;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One runner's part in the ledger's protocol. Entries, times and reports about its sessions go in,
 * {@link Step}s come out; it does nothing itself. All methods belong to one thread.
 *
 * <p>Every {@code now} is nanoseconds on the runner's elapsed clock: the larger of the monotonic
 * and the suspend-counting clock, never a wall clock. It is read <em>before</em> the call, and so
 * before any send that the call decides. Times of different calls must not go back.
 */
public final class Participant {
  private final LeaseNanos nanos;
  private final ClaimSource demand;
  private final RunnerCount runners;
  private final Holdings holdings;
  private final Witness witness;
  private final Claims claims;
  private final Housekeeping housekeeping;
  private final BudgetEnds budgetEnds = new BudgetEnds();
  private final ProviderPauses pauses;
  private final Participation participation = new Participation();

  private LedgerState ledger = LedgerState.empty();
  private LedgerClock ledgerClock = LedgerClock.UNKNOWN;
  private boolean caughtUp;

  /**
   * @param times durations; the ledger's lease replaces theirs
   * @param capacity cap and budgets with which an empty ledger is seeded; its lease must be that of
   *     {@code times}
   * @param sessionIds makes a new random id for each claim
   * @param random for delays that keep runners apart
   */
  public Participant(
      LeaseTimes times,
      LedgerEntry.Init capacity,
      ClaimSource demand,
      Supplier<String> sessionIds,
      RandomGenerator random) {
    this(new LeaseNanos(times, Fence.Rule.BEFORE_SEND), capacity, demand, sessionIds, random);
  }

  Participant(
      LeaseNanos nanos,
      LedgerEntry.Init capacity,
      ClaimSource demand,
      Supplier<String> sessionIds,
      RandomGenerator random) {
    this.nanos = nanos;
    this.demand = demand;
    this.runners = new RunnerCount(nanos, random);
    var turns = new ClaimTurns(nanos, runners);
    this.claims = new Claims(nanos, turns, demand, sessionIds);
    this.holdings = new Holdings(nanos);
    this.witness = new Witness(nanos, runners);
    this.pauses = new ProviderPauses(nanos);
    this.housekeeping = new Housekeeping(nanos, capacity, runners, sessionIds);
  }

  /**
   * Begins at a checkpoint's state instead of the ledger's start. All its leases are treated as
   * received now, so this participant waits a full lease before it expires any of them.
   */
  public List<Step> startFrom(LedgerState checkpoint, long now) {
    ledger = checkpoint;
    if (ledger.unknownRules().isPresent()) {
      return halt(Participation.unknownRules(ledger));
    }
    var steps = new ArrayList<Step>();
    adoptLease(steps);
    ledger.leases().forEach(lease -> witness.received(lease, now));
    ledger.runners().forEach(runner -> runners.read(runner, now));
    return steps;
  }

  /**
   * Takes an entry that was read.
   *
   * @param entry empty if the record is no entry that this code can read
   * @param receivedAt read <em>after</em> the poll that returned it: a witness that thinks it
   *     received a renewal before it was sent would expire a live session
   */
  public List<Step> read(
      Optional<LedgerEntry> entry, long offset, Instant appendTime, long receivedAt) {
    List<Step> steps = new ArrayList<>(holdings.fence(receivedAt));
    witness.read(receivedAt);
    if (participation.folds() && entry.isPresent()) {
      fold(entry.get(), offset, appendTime, receivedAt, steps);
    } else if (participation.folds()) {
      ledger = ledger.skip(offset);
    }
    return steps;
  }

  /** The ledger was read to the end that it had at start: claims, settling and seeding begin. */
  public List<Step> caughtUp(long now) {
    caughtUp = true;
    var steps = holdings.endedBefore(ledger);
    steps.addAll(tick(now));
    return steps;
  }

  /** Time has passed or the demand changed: call it at {@link #nextTick}, and after other calls. */
  public List<Step> tick(long now) {
    List<Step> steps = new ArrayList<>(holdings.fence(now));
    holdings.renewal(now, demand).ifPresent(steps::add);
    steps.addAll(holdings.releases(now, !participation.folds()));
    if (participation.helpsOthers()) {
      steps.addAll(witness.expiries(now, demand.self().id()));
      steps.addAll(pauses.due(ledger, demand.self().id(), now));
      if (caughtUp) {
        steps.addAll(housekeeping.due(ledger, demand, now));
        boolean allowed = participation.claims() && housekeeping.budgetsSet(ledger);
        claims.due(ledger, ledgerNow(now), pauses, allowed, now).ifPresent(steps::add);
      }
    }
    return steps;
  }

  /**
   * When {@link #tick} is due at the latest, on the clock of {@code now}. A change of the demand
   * may need it earlier: tick then too.
   */
  public long nextTick() {
    long next = holdings.nextTick();
    if (!participation.helpsOthers()) {
      return next;
    }
    next = Math.min(Math.min(next, pauses.nextTick()), witness.nextTick());
    return caughtUp
        ? Math.min(next, Math.min(claims.nextTick(), housekeeping.nextTick(ledger)))
        : next;
  }

  /**
   * Takes the end of a session whose tree is verified dead, or was never started. The session is no
   * longer renewed. Its release is repeated until the ledger shows its end, which {@link
   * Step.Closed} reports.
   *
   * <p>Call it also for a dead predecessor's session, if boot id and PID namespace of its journal
   * row are this machine's and the sweep has ended.
   */
  public List<Step> dead(LedgerEntry.Release release, long now) {
    boolean ended = participation.folds() && caughtUp && ledger.lease(release.session()).isEmpty();
    return List.of(holdings.dead(release, ended, now));
  }

  /**
   * Pauses a provider's scope for all runners until then, or until an operator resumes it; see
   * {@link ProviderPauses}.
   *
   * @param until when it answers again, by the broker's time now: a provider may name a time to
   *     wait, and this machine's clock may be days ahead; null if an operator has to resume it
   */
  public List<Step> providerLimited(
      String provider, @Nullable UnaryOperator<Instant> until, String why, long now) {
    if (!participation.helpsOthers()) {
      return List.of();
    }
    Instant ledgerNow = ledgerNow(now);
    Instant end = until == null ? null : until.apply(ledgerNow);
    pauses.ask(ledger, provider, new ProviderPauses.Refusal(end, why), ledgerNow);
    return pauses.due(ledger, demand.self().id(), now);
  }

  /** Stops all claims; a claim that still takes effect is released unstarted. Sessions go on. */
  public void drain() {
    participation.drain();
  }

  /**
   * The ledger is not the one that was read before: another topic id, truncated, or an offset out
   * of range. Own sessions are killed, nothing is claimed or folded any more, and an operator
   * decides. Until they are dead they are renewed, and their releases are repeated for a lease:
   * without effect in a new ledger, and correctly in one that was cut.
   */
  public List<Step> ledgerUnusable(String reason) {
    return halt(reason);
  }

  /** The ledger's state, as far as read. */
  public LedgerState ledger() {
    return ledger;
  }

  /** Why this runner claims nothing until an operator acts; empty if it may claim. */
  public Optional<String> stopped() {
    return participation.stopped();
  }

  /** Estimates the broker's append time, for {@link LedgerState#whyNot} and pauses. */
  public Instant ledgerNow(long now) {
    return ledgerClock.at(now);
  }

  private void fold(
      LedgerEntry entry, long offset, Instant appendTime, long receivedAt, List<Step> steps) {
    Folded folded = ledger.fold(entry, offset, appendTime);
    ledger = folded.state();
    ledgerClock = new LedgerClock(appendTime, receivedAt);
    holdings.read(entry);
    runners.read(entry, receivedAt);
    pauses.read(entry, folded.effect());
    switch (folded.effect()) {
      case Effect.Claimed claimed -> claimed(claimed.lease(), receivedAt, steps);
      case Effect.Renewed renewed -> renewed(renewed, receivedAt, steps);
      case Effect.Released released -> ended(released.lease(), steps);
      case Effect.Expired expired -> ended(expired.lease(), steps);
      case Effect.UnknownRules unknown -> steps.addAll(halt(Participation.unknownRules(ledger)));
      case Effect.Checkpointed checkpointed -> {
        if (!checkpointed.agrees()) {
          participation.stop(Participation.differs(offset)).ifPresent(steps::add);
        }
        housekeeping
            .checkpointed(entry, appendTime, receivedAt)
            .filter(cut -> participation.helpsOthers())
            .ifPresent(steps::add);
      }
      case Effect.Changed changed -> {
        adoptLease(steps);
        housekeeping.seeded(entry).ifPresent(steps::add);
      }
      case Effect.Settled settled -> {}
      case Effect.None none -> claims.lost(entry);
    }
    steps.addAll(budgetEnds.due(ledger, holdings.live(), appendTime));
  }

  private void claimed(Lease lease, long receivedAt, List<Step> steps) {
    OptionalLong sentAt = claims.sentAt(lease.session());
    if (sentAt.isEmpty()) {
      witness.received(lease, receivedAt);
      return;
    }
    Optional<Step.Unstarted> unstarted =
        claims.won(lease, ledger, participation.claims(), receivedAt);
    if (unstarted.isPresent()) {
      steps.add(unstarted.get());
      steps.add(holdings.dead(unstarted.get().release(), false, receivedAt));
      return;
    }
    Fence fence = holdings.started(lease.session(), sentAt.getAsLong(), receivedAt);
    boolean moreFree = !ledger.full() && holdings.size() < demand.self().slots();
    claims.started(lease.session(), receivedAt, moreFree);
    steps.add(new Step.Start(lease, fence));
  }

  private void renewed(Effect.Renewed renewed, long receivedAt, List<Step> steps) {
    for (Lease lease : renewed.leases()) {
      if (holdings.owns(lease.session())) {
        holdings.renewed(renewed.n(), lease, receivedAt).ifPresent(steps::add);
      } else {
        witness.received(lease, receivedAt);
      }
    }
  }

  private void ended(Lease lease, List<Step> steps) {
    witness.ended(lease.session());
    claims.ended(lease.session());
    holdings.ended(lease.session()).ifPresent(steps::add);
  }

  /**
   * Adopts the ledger's lease, however this participant joined: every session would end under a
   * lease into which its clocks do not fit.
   */
  private void adoptLease(List<Step> steps) {
    if (ledger.initialized()) {
      nanos.ledgerLease(ledger.leaseTime()).flatMap(participation::stop).ifPresent(steps::add);
    }
  }

  private List<Step> halt(String reason) {
    List<Step> steps = holdings.killAll();
    participation.halt(reason).ifPresent(steps::add);
    return steps;
  }

  /** The broker's clock as last seen. Only avoids claims that a pause would make ineffective. */
  private record LedgerClock(Instant appendTime, long receivedAt) {
    static final LedgerClock UNKNOWN = new LedgerClock(Instant.EPOCH, 0);

    Instant at(long now) {
      return this.equals(UNKNOWN)
          ? Instant.EPOCH
          : appendTime.plusNanos(Math.max(0, now - receivedAt));
    }
  }

  /**
   * Ends each own session that runs on a spent budget, once. Every runner folds the same spend, so
   * the sessions of all runners end by the same entry.
   */
  private static final class BudgetEnds {
    private final Set<String> ended = new HashSet<>();

    List<Step> due(LedgerState ledger, List<String> live, Instant ledgerNow) {
      ended.retainAll(live);
      var steps = new ArrayList<Step>();
      for (String session : live) {
        if (!ended.contains(session)) {
          ledger
              .lease(session)
              .flatMap(lease -> ledger.overBudget(lease, ledgerNow))
              .ifPresent(use -> {
                ended.add(session);
                steps.add(new Step.End(session, use.text()));
              });
        }
      }
      return steps;
    }
  }

  /**
   * How far a runner takes part in the ledger's protocol. It only ever does less: a runner that
   * drains claims nothing, one that is stopped does nothing for other runners either, and one that
   * is halted folds no entry. Own sessions are renewed and released in all of them.
   */
  private static final class Participation {
    private boolean draining;
    private boolean halted;
    private @Nullable String stopped;

    boolean claims() {
      return !draining && stopped == null;
    }

    /** A runner that was stopped may be wrong about everything except its own sessions. */
    boolean helpsOthers() {
      return stopped == null;
    }

    boolean folds() {
      return !halted;
    }

    /** Why this runner claims nothing until an operator acts. */
    Optional<String> stopped() {
      return Optional.ofNullable(stopped);
    }

    void drain() {
      draining = true;
    }

    /** Stops claims; the step is returned for the first reason only. */
    Optional<Step> stop(String reason) {
      if (stopped != null) {
        return Optional.empty();
      }
      stopped = reason;
      return Optional.of(new Step.StopClaiming(reason));
    }

    /** Stops the folding too. */
    Optional<Step> halt(String reason) {
      halted = true;
      return stop(reason);
    }

    /** Why no further entry can be folded: the ledger has rules unknown to this code. */
    static String unknownRules(LedgerState ledger) {
      return "the ledger's rules "
          + ledger.rules()
          + " are newer than this runner's "
          + LedgerState.RULES
          + ": upgrade it";
    }

    /** Why this runner may be wrong about the ledger: a checkpoint shows another state. */
    static String differs(long offset) {
      return "the checkpoint at ledger offset "
          + offset
          + " differs from this runner's reading:"
          + " restart it, and if that repeats, compare the versions of all runners";
    }
  }
}
