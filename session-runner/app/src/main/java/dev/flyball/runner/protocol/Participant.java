package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.session.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One runner's part in the ledger's protocol. Entries, times and reports about its sessions go in,
 * {@link Step}s come out; it does nothing itself. All methods belong to one thread; other threads
 * may read only {@link #fences()}.
 *
 * <p>Every {@code now} is nanoseconds on the runner's elapsed clock: the larger of the monotonic
 * and the suspend-counting clock, never a wall clock. It is read <em>before</em> the call, and so
 * before any send that the call decides. Times of different calls must not go back.
 */
public final class Participant {
  private final LeaseNanos clockwork;
  private final LedgerEntry.Init seed;
  private final ClaimSource demand;
  private final Supplier<String> sessionIds;
  private final RunnerCount crowd;
  private final Holdings holdings;
  private final Witness witness;
  private final Claims claims = new Claims();
  private final Housekeeping housekeeping;
  private final BudgetEnds budgetEnds = new BudgetEnds();
  private final Stagger stagger;
  private final ProviderPauses pauses;

  private LedgerState ledger = LedgerState.empty();
  private LedgerClock ledgerClock = LedgerClock.UNKNOWN;
  private boolean caughtUp;
  private boolean draining;
  private boolean halted;
  private boolean warned;
  private @Nullable String stopped;
  private long claimAt = Long.MAX_VALUE;
  private long coolUntil = Long.MIN_VALUE;
  // Written by the owning thread, read by the watchdog thread.
  private volatile Map<String, Fence> fences = Map.of();

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
    this(times, capacity, demand, sessionIds, random, FenceRule.BEFORE_SEND);
  }

  Participant(
      LeaseTimes times,
      LedgerEntry.Init capacity,
      ClaimSource demand,
      Supplier<String> sessionIds,
      RandomGenerator random,
      FenceRule rule) {
    this.clockwork = new LeaseNanos(times);
    this.seed = capacity;
    this.demand = demand;
    this.sessionIds = sessionIds;
    this.crowd = new RunnerCount(clockwork, random);
    this.stagger = new Stagger(clockwork.stagger());
    this.holdings = new Holdings(clockwork, rule);
    this.witness = new Witness(clockwork, crowd);
    this.pauses = new ProviderPauses(clockwork);
    this.housekeeping = new Housekeeping(clockwork, seed, crowd, sessionIds);
  }

  /**
   * Begins at a checkpoint's state instead of the ledger's start. All its leases are treated as
   * received now, so this participant waits a full lease before it expires any of them.
   */
  public List<Step> startFrom(LedgerState checkpoint, long now) {
    ledger = checkpoint;
    if (ledger.unknownRules().isPresent()) {
      return unknownRules();
    }
    var steps = new ArrayList<Step>();
    adoptLease(steps);
    ledger.leases().forEach(lease -> witness.received(lease, now));
    return published(steps);
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
    if (!halted && entry.isPresent()) {
      fold(entry.get(), offset, appendTime, receivedAt, steps);
    } else if (!halted) {
      ledger = ledger.skip(offset);
    }
    return published(steps);
  }

  /**
   * The ledger was read to the end that it had at the start. Claims, settling and seeding begin.
   */
  public List<Step> caughtUp(long now) {
    caughtUp = true;
    var steps = new ArrayList<Step>();
    for (String session : holdings.pendingReleases()) {
      if (ledger.lease(session).isEmpty()) {
        holdings.remove(session);
        steps.add(new Step.Closed(session));
      }
    }
    steps.addAll(tick(now));
    return published(steps);
  }

  /**
   * Time has passed, or the demand has changed. Call at {@link #nextTick} at the latest, and after
   * every other call.
   */
  public List<Step> tick(long now) {
    List<Step> steps = new ArrayList<>(holdings.fence(now));
    Step renewal = holdings.renewal(now, demand);
    if (renewal != null) {
      steps.add(renewal);
    }
    steps.addAll(holdings.releases(now, halted));
    // A runner that was stopped may be wrong about everything except its own sessions.
    if (stopped == null) {
      steps.addAll(witness.expiries(now, demand.self().id()));
      steps.addAll(pauses.due(ledger, demand.self().id(), now));
      if (caughtUp) {
        steps.addAll(housekeeping.due(ledger, demand, now));
        claim(now, steps);
      }
    }
    return published(steps);
  }

  /**
   * When {@link #tick} is due at the latest, on the clock of {@code now}. A change of the demand
   * may need it earlier: tick then too.
   */
  public long nextTick() {
    long next = holdings.nextTick();
    if (stopped != null) {
      return next;
    }
    next = Math.min(next, Math.min(witness.nextTick(), claimAt));
    next = Math.min(next, pauses.nextTick());
    if (claims.anyPending()) {
      next = Math.min(next, claims.pendingSince() + clockwork.late() + 1);
    }
    return caughtUp ? Math.min(next, housekeeping.nextTick(ledger)) : next;
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
    String session = release.session();
    var steps = new ArrayList<Step>();
    boolean open = ledger.lease(session).isPresent();
    if (holdings.orphaned(session) || (!open && caughtUp && !halted)) {
      holdings.remove(session);
      steps.add(new Step.Closed(session));
    } else {
      holdings.dead(release, now);
      steps.addAll(holdings.releases(now, halted));
    }
    return published(steps);
  }

  /**
   * Pauses a provider's scope for all runners until then, or until an operator resumes it; see
   * {@link ProviderPauses}.
   *
   * @param until null if an operator has to resume it
   */
  public List<Step> providerLimited(
      String provider, @Nullable Instant until, String why, long now) {
    if (stopped != null) {
      return List.of();
    }
    pauses.ask(ledger, provider, new ProviderPauses.Refusal(until, why), ledgerNow(now));
    return pauses.due(ledger, demand.self().id(), now);
  }

  /** Stops all claims; a claim that still takes effect is released unstarted. Sessions go on. */
  public void drain() {
    draining = true;
    claimAt = Long.MAX_VALUE;
  }

  /**
   * The ledger is not the one that was read before: another topic id, truncated, or an offset out
   * of range. Own sessions are killed, and nothing is claimed or folded any more; an operator
   * decides.
   *
   * <p>Own sessions are renewed until they are dead, and their releases are repeated for a lease.
   * That has no effect in a new ledger, and is correct in one that was cut.
   */
  public List<Step> ledgerUnusable(String reason) {
    List<Step> steps = new ArrayList<>();
    halt(reason, steps);
    return published(steps);
  }

  /** The ledger's state, as far as read. */
  public LedgerState ledger() {
    return ledger;
  }

  /** Why this runner claims nothing until an operator acts; empty if it may claim. */
  public Optional<String> stopped() {
    return Optional.ofNullable(stopped);
  }

  /** Estimate of the broker's append time, for {@link LedgerState#whyNot} and pauses. */
  public Instant ledgerNow(long now) {
    return ledgerClock.at(now);
  }

  /** How many runners live, as far as their entries were read, this one included. */
  public int liveRunners(long now) {
    return crowd.size(now, demand.self().id());
  }

  /**
   * The fences of all sessions that may live, for a separate watchdog thread. At a fence it kills
   * that session's tree, whatever this participant's thread waits for. Immutable; any thread may
   * read it.
   */
  public Map<String, Fence> fences() {
    return fences;
  }

  private void fold(
      LedgerEntry entry, long offset, Instant appendTime, long receivedAt, List<Step> steps) {
    Folded folded = ledger.fold(entry, offset, appendTime);
    ledger = folded.state();
    ledgerClock = new LedgerClock(appendTime, receivedAt);
    if (entry instanceof LedgerEntry.Renew renew) {
      holdings.read(renew);
    }
    if (entry instanceof LedgerEntry.Runner runner) {
      crowd.heard(runner, receivedAt);
    }
    pauses.read(entry, folded.effect());
    switch (folded.effect()) {
      case Effect.Claimed claimed -> claimed(claimed.lease(), receivedAt, steps);
      case Effect.Renewed renewed -> renewed(renewed, receivedAt, steps);
      case Effect.Released released -> ended(released.lease(), steps);
      case Effect.Expired expired -> ended(expired.lease(), steps);
      case Effect.UnknownRules unknown -> steps.addAll(unknownRules());
      case Effect.Checkpointed checkpointed -> {
        if (!checkpointed.agrees()) {
          stop(
              "the checkpoint at ledger offset "
                  + offset
                  + " differs from this runner's reading:"
                  + " restart it, and if that repeats, compare the versions of all runners",
              steps);
        }
        if (entry instanceof LedgerEntry.Checkpoint checkpoint) {
          Step cut = housekeeping.read(checkpoint, appendTime, receivedAt);
          if (cut != null && stopped == null) {
            steps.add(cut);
          }
        }
      }
      case Effect.Changed changed -> {
        if (entry instanceof LedgerEntry.Init init) {
          initialized(init, steps);
        }
      }
      case Effect.Settled settled -> {}
      case Effect.None none -> {
        if (entry instanceof LedgerEntry.Claim claim) {
          claims.lost(claim.session());
        }
      }
    }
    if (!halted) {
      steps.addAll(budgetEnds.due(ledger, holdings.live(), appendTime));
    }
  }

  private void claimed(Lease lease, long receivedAt, List<Step> steps) {
    Claims.Won won = claims.won(lease.session());
    if (won == null) {
      witness.received(lease, receivedAt);
      return;
    }
    boolean late = receivedAt - won.sentAt() > clockwork.late();
    if (late) {
      coolUntil = Math.max(coolUntil, receivedAt + clockwork.coolDown());
      claimAt = Long.MAX_VALUE;
    }
    if (!demand.wanted(lease)) {
      unstarted(lease, Outcome.CANCELLED, "no longer wanted", receivedAt, steps);
    } else if (late || !won.pending()) {
      unstarted(lease, Outcome.INTERRUPTED, "claim took effect late", receivedAt, steps);
    } else if (ProviderReturn.overtook(ledger, lease)) {
      unstarted(
          lease, Outcome.INTERRUPTED, "its provider comes back one by one", receivedAt, steps);
    } else if (draining || stopped != null) {
      unstarted(lease, Outcome.INTERRUPTED, "runner is stopping", receivedAt, steps);
    } else {
      Fence fence = holdings.started(lease.session(), won.sentAt(), receivedAt);
      stagger.started(lease.session(), receivedAt, moreFree());
      steps.add(new Step.Start(lease, fence.fenceAt(), fence.deadmanAt()));
    }
  }

  private boolean moreFree() {
    return ledger.live() < ledger.cap() && holdings.size() < demand.self().slots();
  }

  private void unstarted(Lease lease, Outcome outcome, String reason, long now, List<Step> steps) {
    var unstarted = new Step.Unstarted(lease.session(), outcome, reason);
    steps.add(unstarted);
    holdings.dead(unstarted.release(), now);
    steps.addAll(holdings.releases(now, false));
  }

  private void renewed(Effect.Renewed renewed, long receivedAt, List<Step> steps) {
    for (Lease lease : renewed.leases()) {
      if (holdings.owns(lease.session())) {
        Step extend = holdings.renewed(renewed.n(), lease, receivedAt);
        if (extend != null) {
          steps.add(extend);
        }
      } else {
        witness.received(lease, receivedAt);
      }
    }
  }

  private void ended(Lease lease, List<Step> steps) {
    witness.ended(lease.session());
    if (stagger.ended(lease.session())) {
      claimAt = Long.MAX_VALUE;
    }
    Step step = holdings.ended(lease.session());
    if (step != null) {
      steps.add(step);
    }
  }

  private void initialized(LedgerEntry.Init init, List<Step> steps) {
    adoptLease(steps);
    if (stopped == null && !warned && !init.equals(seed)) {
      warned = true;
      steps.add(
          new Step.Warn("the ledger was seeded with other values than configured here: " + init));
    }
  }

  /**
   * Adopts the ledger's lease, however this participant joined: every session would end under a
   * lease into which its clocks do not fit.
   */
  private void adoptLease(List<Step> steps) {
    if (ledger.initialized()) {
      clockwork.ledgerLease(ledger.leaseTime()).ifPresent(misfit -> stop(misfit, steps));
    }
  }

  private List<Step> unknownRules() {
    var steps = new ArrayList<Step>();
    halt(
        "the ledger's rules "
            + ledger.rules()
            + " are newer than this runner's "
            + LedgerState.RULES
            + ": upgrade it",
        steps);
    return steps;
  }

  private void halt(String reason, List<Step> steps) {
    halted = true;
    steps.addAll(holdings.killAll());
    stop(reason, steps);
  }

  private void stop(String reason, List<Step> steps) {
    if (stopped == null) {
      stopped = reason;
      claimAt = Long.MAX_VALUE;
      steps.add(new Step.StopClaiming(reason));
    }
  }

  private void claim(long now, List<Step> steps) {
    if (claims.anyPending() && now - claims.pendingSince() > clockwork.late()) {
      claims.abandonPending();
    }
    boolean permit =
        ledger.live() < ledger.cap()
            && Unsettled.tooMany(ledger).isEmpty()
            && housekeeping.budgetsSet(ledger);
    if (!permit || draining || stopped != null || claims.anyPending() || now < coolUntil) {
      claimAt =
          now < coolUntil && permit && !draining && stopped == null ? coolUntil : Long.MAX_VALUE;
      return;
    }
    Instant ledgerNow = ledgerNow(now);
    Optional<Candidate> candidate =
        demand
            .next(ledger, ledgerNow)
            .filter(each -> !pauses.pending(each.provider()))
            .filter(each -> !ProviderReturn.waits(ledger, each.provider(), ledgerNow));
    if (candidate.isEmpty()) {
      claimAt = Long.MAX_VALUE;
      return;
    }
    if (claimAt == Long.MAX_VALUE) {
      claimAt = stagger.notBefore(now + crowd.claimDelay(now, demand.self().id(), ledger));
    }
    if (now >= claimAt) {
      claimAt = Long.MAX_VALUE;
      append(candidate.get(), ledgerNow, now, steps);
    }
  }

  private void append(Candidate candidate, Instant ledgerNow, long now, List<Step> steps) {
    LedgerEntry.Claim claim = candidate.claim(sessionIds.get(), demand.self().id());
    if (ledger.whyNot(claim, ledgerNow).isEmpty()) {
      claims.sent(claim.session(), now);
      steps.add(new Step.Append(claim));
    }
  }

  private List<Step> published(List<Step> steps) {
    Map<String, Fence> changed = holdings.changedFences();
    if (changed != null) {
      fences = changed;
    }
    return steps;
  }
}
