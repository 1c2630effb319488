package dev.flyball.bench;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.protocol.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The runners that are too many to fold for themselves: they share one fold. They claim, renew,
 * release, settle and report as the product's runners do, at the same times, but write no
 * checkpoint and expire nothing. It also measures, for all runners, how long claims take. Belongs
 * to the simulation's thread.
 */
final class SharedFold {
  private final ScalePlan plan;
  private final OfferedRequests offered;
  private final Consumer<LedgerEntry> appends;
  private final LongSupplier lengths;
  private final SplittableRandom random = new SplittableRandom(5);
  private final List<Sharer> sharers = new ArrayList<>();
  private final Map<String, Sharer> byId = new HashMap<>();

  /** Of all runners, also of those that fold for themselves. */
  private final List<String> ids;

  private final Map<String, List<Sharer.Turn>> turns = new HashMap<>();
  private final List<Double> claimMillis = new ArrayList<>();
  private LedgerState ledger = LedgerState.empty();
  private int expired;
  private int claims;
  private int lostClaims;

  SharedFold(
      ScalePlan plan,
      OfferedRequests offered,
      Consumer<LedgerEntry> appends,
      LongSupplier lengths) {
    this.plan = plan;
    this.offered = offered;
    this.appends = appends;
    this.lengths = lengths;
    this.ids = IntStream.range(0, plan.runners()).mapToObj(ScalePlan::runner).toList();
  }

  /** Adds a runner, whose own times begin at random, as if it had run for long. */
  void add(String id, long now) {
    var sharer = new Sharer(id, plan.times());
    sharer.nextRenewal = now + random.nextLong(plan.times().renew().toNanos());
    sharer.nextReport = now + random.nextLong(plan.times().retry().toNanos());
    sharer.nextSettling = now + random.nextLong(plan.times().retry().toNanos());
    sharers.add(sharer);
    byId.put(id, sharer);
  }

  void read(LedgerRecord read, long now) {
    LedgerEntry entry = read.entry();
    if (entry == null) {
      ledger = ledger.skip(read.offset());
      return;
    }
    sender(entry).ifPresent(it -> it.roundTrip.read(entry, now));
    Folded folded = ledger.fold(entry, read.offset(), read.appendTime());
    ledger = folded.state();
    switch (folded.effect()) {
      case Effect.Claimed claimed -> claimed(claimed.lease(), now);
      case Effect.Released released -> ended(released.lease());
      case Effect.Expired lease -> {
        expired++;
        ended(lease.lease());
      }
      case Effect.Settled settled -> offered.settled(settled.request());
      case Effect.None none -> {
        if (entry instanceof LedgerEntry.Claim claim) {
          lost(claim, now);
        }
      }
      case Effect.Renewed renewed -> {}
      case Effect.Changed changed -> {}
      case Effect.Checkpointed checkpointed -> {
        if (!checkpointed.agrees()) {
          throw new AssertionError("the checkpoint at " + read.offset() + " differs");
        }
      }
      case Effect.UnknownRules rules -> throw new AssertionError("rules " + rules.n());
    }
  }

  private Optional<Sharer> sender(LedgerEntry entry) {
    return switch (entry) {
      case LedgerEntry.Claim claim -> Optional.ofNullable(byId.get(claim.runner()));
      case LedgerEntry.Runner runner -> Optional.ofNullable(byId.get(runner.id()));
      case LedgerEntry.Renew renew ->
          renew.sessions().stream()
              .findFirst()
              .flatMap(it -> ledger.lease(it.session()))
              .map(lease -> byId.get(lease.runner()));
      default -> Optional.empty();
    };
  }

  private void append(Sharer sharer, LedgerEntry entry, long now) {
    sharer.roundTrip.sent(List.of(new Step.Append(entry)), now);
    appends.accept(entry);
  }

  private void claimed(Lease lease, long now) {
    claims++;
    offered.claimed(lease).ifPresent(it -> claimMillis.add((System.nanoTime() - it.seen()) / 1e6));
    Sharer holder = byId.get(lease.runner());
    if (holder != null) {
      holder.sessions.begin(lease.session(), now, lengths.getAsLong());
      holder.pendingUntil = now;
    }
    turns.remove(lease.request());
  }

  private void lost(LedgerEntry.Claim claim, long now) {
    lostClaims++;
    Sharer loser = byId.get(claim.runner());
    if (loser != null) {
      loser.pendingUntil = now;
    }
  }

  private void ended(Lease lease) {
    offered.withdraw(lease);
    Sharer holder = byId.get(lease.runner());
    if (holder != null) {
      holder.sessions.closed(lease.session());
    }
  }

  /** Claims all requests that wait, without delays, so that the pool is full soon. */
  void fill(long now, int next) {
    int at = next;
    for (OfferedRequests.Offer offer : offered.all()) {
      Sharer sharer = sharers.get(at++ % sharers.size());
      claim(sharer, offer, now);
    }
  }

  private void claim(Sharer sharer, OfferedRequests.Offer offer, long now) {
    sharer.pendingUntil = now + plan.times().late().toNanos();
    append(sharer, offered.claim(offer, UUID.randomUUID().toString(), sharer.id), now);
  }

  /** Does what is due for each runner. */
  void tick(long now, boolean claiming) {
    Collection<SpentRequest> spent = List.of();
    LedgerState copied = null;
    for (Sharer each : sharers) {
      for (LedgerEntry.Release release : each.sessions.ended(now)) {
        appends.accept(release);
      }
      renew(each, now);
      if (now >= each.nextReport) {
        each.nextReport = now + plan.times().heartbeat().toNanos();
        append(
            each,
            new LedgerEntry.Runner(each.id, LedgerState.RULES, "A", ScalePlan.SLOTS, null, null),
            now);
      }
      if (now >= each.nextSettling) {
        long retry = plan.times().retry().toNanos();
        each.nextSettling = now + retry / 2 + random.nextLong(retry);
        if (copied != ledger) {
          copied = ledger;
          spent = ledger.spentRequests();
        }
        settle(spent);
      }
    }
    if (claiming && !sharers.isEmpty()) {
      offered.first(ClaimSource.Turns.WINDOW).forEach(each -> claim(each, now));
    }
  }

  private void renew(Sharer each, long now) {
    if (now < each.nextRenewal) {
      return;
    }
    List<String> running = each.sessions.running();
    each.nextRenewal = now + plan.times().renew().toNanos();
    if (!running.isEmpty()) {
      append(
          each,
          new LedgerEntry.Renew(
              ++each.renewals,
              running.stream().map(session -> each.sessions.usage(session, now)).toList()),
          now);
    }
  }

  private void settle(Collection<SpentRequest> spent) {
    int share = random.nextInt(plan.runners());
    for (SpentRequest request : spent) {
      if (Math.floorMod(request.request().hashCode(), plan.runners()) == share) {
        offered
            .replacedBy(request)
            .ifPresent(by -> appends.accept(new LedgerEntry.Settled(request.request(), by)));
      }
    }
  }

  private void claim(OfferedRequests.Offer offer, long now) {
    for (Sharer.Turn turn : turns.computeIfAbsent(offer.request(), it -> drawn(offer, now))) {
      if (turn.came(now) && turn.sharer().mayClaim(now)) {
        claim(turn.sharer(), offer, now);
      }
    }
  }

  /**
   * The turns at a request of all runners with a free slot, by the order that the product's runners
   * find.
   */
  private List<Sharer.Turn> drawn(OfferedRequests.Offer offer, long now) {
    String key = offer.item().toString();
    List<String> order =
        ids.stream()
            .filter(id -> ledger.heldBy(id) < ScalePlan.SLOTS)
            .sorted(Comparator.comparingLong(id -> score(key, id)))
            .toList();
    var all = new ArrayList<Sharer.Turn>();
    for (int before = 0; before < order.size(); before++) {
      Sharer sharer = byId.get(order.get(before));
      if (sharer != null) {
        all.add(new Sharer.Turn(sharer, before, now));
      }
    }
    return all;
  }

  /** As the product's runners rank each other; with another order, several claim the same. */
  private static long score(String key, String runner) {
    long mixed = ((long) key.hashCode() << 32) | (runner.hashCode() & 0xffff_ffffL);
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  LedgerState ledger() {
    return ledger;
  }

  /** Leases that a witness ended; a run with any of them measured an overload. */
  int expired() {
    return expired;
  }

  int claims() {
    return claims;
  }

  /** Claims that another runner's came before. */
  int lostClaims() {
    return lostClaims;
  }

  /** Forgets what was measured so far. */
  void measureAgain() {
    claimMillis.clear();
    claims = 0;
    lostClaims = 0;
  }

  List<Double> claimMillis() {
    return claimMillis;
  }
}
