package dev.flyball.contract.ledger;

import dev.flyball.contract.ledger.LedgerState.Folded;
import dev.flyball.contract.session.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Applies one entry to one state: the rules of the ledger, one method for each kind. */
final class FoldStep {
  private final LedgerState before;
  private final long offset;
  private final Instant appendTime;

  FoldStep(LedgerState before, long offset, Instant appendTime) {
    this.before = before;
    this.offset = offset;
    this.appendTime = appendTime;
  }

  Folded apply(LedgerEntry entry) {
    return switch (entry) {
      case LedgerEntry.Init init -> init(init);
      case LedgerEntry.Claim claim -> claim(claim);
      case LedgerEntry.Renew renew -> renew(renew);
      case LedgerEntry.Release release -> release(release);
      case LedgerEntry.Expire expire -> expire(expire);
      case LedgerEntry.Settled settled -> settled(settled);
      case LedgerEntry.Cap cap ->
          operator(
              cap.scope(), cap.seen(), "cap of " + cap.scope(), operators().capped(cap, offset));
      case LedgerEntry.Pause pause ->
          operator(
              pause.scope(),
              pause.seen(),
              "pause of " + pause.scope(),
              operators().paused(pause, offset));
      case LedgerEntry.Resume resume -> resume(resume);
      case LedgerEntry.Budget budget ->
          operator(
              budget.scope(),
              budget.seen(),
              "budget of " + budget.scope(),
              operators().limited(budget.scope(), budget.limits(), offset));
      case LedgerEntry.Reserve reserve -> reserve(reserve);
      case LedgerEntry.Spend spend -> spend(spend);
      case LedgerEntry.Runner runner ->
          changed(
              base(),
              parts().runners(parts().runners().with(runner, appendTime.toEpochMilli())),
              new Effect.Changed("runner " + runner.id()));
      case LedgerEntry.Rules rules -> rules(rules);
      case LedgerEntry.Checkpoint checkpoint -> checkpoint(checkpoint);
    };
  }

  private Folded init(LedgerEntry.Init init) {
    if (before.initialized()) {
      return none("the ledger was initialized before");
    }
    Operators seeded = operators().seeded(init, offset);
    Digest digest = before.sum();
    for (var each : seeded.last().entrySet()) {
      long old = operators().last(each.getKey());
      if (old != each.getValue()) {
        digest = moved(digest, Digest.OPERATOR, each.getKey(), old, each.getValue());
      }
    }
    return folded(
        base().seeded(init.cap(), init.leaseMs()),
        parts().operators(seeded),
        digest,
        new Effect.Changed("init"));
  }

  private Folded claim(LedgerEntry.Claim claim) {
    WhyNot reason = new ClaimRule(before).against(claim, appendTime);
    if (reason != null) {
      return none(reason.text());
    }
    var lease =
        new Lease(
            claim.session(),
            claim.request(),
            claim.requestAt(),
            claim.item(),
            claim.attempt(),
            claim.runner(),
            claim.provider(),
            claim.rules(),
            claim.reserve(),
            offset,
            appendTime.toEpochMilli(),
            offset,
            0,
            0);
    return folded(
        base(),
        parts().leases(parts().leases().with(lease)),
        before.sum().plus(Digest.LEASE, lease.session(), offset),
        new Effect.Claimed(lease));
  }

  private Folded renew(LedgerEntry.Renew renew) {
    Leases leases = parts().leases();
    Spending spending = parts().spending();
    Digest digest = before.sum();
    List<Lease> renewed = new ArrayList<>();
    for (LedgerEntry.Usage usage : renew.sessions()) {
      Lease lease = leases.ofSession(usage.session());
      if (lease == null) {
        continue;
      }
      Lease now = lease.renewed(offset, usage.tokens(), usage.costMicros());
      spending = booked(spending, lease, now);
      leases = leases.renewed(now);
      digest = moved(digest, Digest.LEASE, lease.session(), lease.seen(), offset);
      renewed.add(now);
    }
    return renewed.isEmpty()
        ? none("none of its sessions is open")
        : folded(
            base(),
            parts().leases(leases).spending(spending),
            digest,
            new Effect.Renewed(renew.n(), renewed));
  }

  private Folded release(LedgerEntry.Release release) {
    Lease lease = parts().leases().ofSession(release.session());
    if (lease == null) {
      return none("session " + release.session() + " is not open");
    }
    Lease known = lease.renewed(lease.seen(), release.tokens(), release.costMicros());
    Lease last =
        release.outcome() == Outcome.LOST && !release.receipt().unstarted()
            ? known.withWholeReserve()
            : known;
    return ended(last, booked(parts().spending(), lease, last), new Effect.Released(last, release));
  }

  private Folded expire(LedgerEntry.Expire expire) {
    Lease lease = parts().leases().ofSession(expire.session());
    if (lease == null) {
      return none("session " + expire.session() + " is not open");
    }
    if (lease.seen() != expire.seen()) {
      return none("session " + expire.session() + " was renewed at " + lease.seen());
    }
    // A session that was claimed and never started is no exception: only its runner knows that, and
    // it has fallen silent.
    Lease last = lease.withWholeReserve();
    return ended(last, booked(parts().spending(), lease, last), new Effect.Expired(last));
  }

  private Folded ended(Lease lease, Spending spending, Effect effect) {
    Digest digest =
        before
            .sum()
            .minus(Digest.LEASE, lease.session(), lease.seen())
            .plus(Digest.SPENT, lease.request(), offset);
    LedgerState.Parts parts =
        parts()
            .leases(parts().leases().without(lease))
            .requests(parts().requests().ended(lease, offset))
            .spending(spending);
    return folded(base(), parts, digest, effect);
  }

  private Folded settled(LedgerEntry.Settled settled) {
    SpentRequest spent = parts().requests().spent(settled.request());
    if (spent == null) {
      return none("request " + settled.request() + " is not spent");
    }
    if (settled.by() <= spent.requestAt().offset()) {
      return none("offset " + settled.by() + " is not above the request's own");
    }
    int partition = spent.requestAt().partition();
    Requests requests = parts().requests().settled(spent, settled.by());
    Digest digest = before.sum().minus(Digest.SPENT, spent.request(), spent.endedAt());
    long old = before.floor(partition);
    digest = moved(digest, Digest.FLOOR, partition, old == 0 ? -1 : old, requests.floor(partition));
    return folded(base(), parts().requests(requests), digest, new Effect.Settled(spent.request()));
  }

  private Folded resume(LedgerEntry.Resume resume) {
    if (!operators().pauses().containsKey(resume.scope())) {
      return none(resume.scope() + " is not paused");
    }
    return operator(
        resume.scope(),
        resume.seen(),
        "resume of " + resume.scope(),
        operators().resumed(resume.scope(), offset));
  }

  private Folded operator(String scope, long seen, String what, Operators to) {
    long last = operators().last(scope);
    if (seen != last) {
      return none("another entry of " + scope + " came first, at " + last);
    }
    Digest digest = moved(before.sum(), Digest.OPERATOR, scope, last, offset);
    return folded(base(), parts().operators(to), digest, new Effect.Changed(what));
  }

  private Folded reserve(LedgerEntry.Reserve reserve) {
    Spending spending = parts().spending();
    if (spending.knows(reserve.ref()) || spending.holds(reserve.ref())) {
      return none("reserve " + reserve.ref() + " was read before");
    }
    var rule = new ClaimRule(before);
    for (String scope : Spending.scopes(reserve.tenant())) {
      WhyNot reason = rule.overBudget(reserve.costMicros(), scope, appendTime);
      if (reason != null) {
        return none(reason.text());
      }
    }
    return changed(
        base(),
        parts().spending(spending.holding(reserve, appendTime)),
        new Effect.Changed("reserve " + reserve.ref()));
  }

  private Folded spend(LedgerEntry.Spend spend) {
    if (parts().spending().knows(spend.ref())) {
      return none("spend " + spend.ref() + " was booked before");
    }
    Spending booked =
        parts()
            .spending()
            .settled(
                spend.ref(),
                spend.tenant(),
                Spending.day(appendTime),
                spend.costMicros(),
                spend.tokens());
    return changed(base(), parts().spending(booked), new Effect.Changed("spend " + spend.ref()));
  }

  private Folded rules(LedgerEntry.Rules rules) {
    if (rules.n() <= before.rules()) {
      return none("rules " + before.rules() + " are in force");
    }
    for (Lease lease : parts().leases().all()) {
      if (lease.rules() < rules.n()) {
        return none("session " + lease.session() + " is open by rules " + lease.rules());
      }
    }
    Digest digest =
        moved(before.sum(), Digest.RULES, "", before.rules() == 1 ? -1 : before.rules(), rules.n());
    Effect effect =
        rules.n() > LedgerState.RULES
            ? new Effect.UnknownRules(rules.n())
            : new Effect.Changed("rules " + rules.n());
    return folded(base().rules(rules.n()), parts(), digest, effect);
  }

  private Folded checkpoint(LedgerEntry.Checkpoint checkpoint) {
    Digest mine = before.sumAt(checkpoint.at());
    boolean agrees = mine == null || mine.toString().equals(checkpoint.state().digest());
    boolean last = checkpoint.part() == null || checkpoint.part().last();
    return changed(
        last ? base().checkpoint(offset) : base(), parts(), new Effect.Checkpointed(agrees));
  }

  /** Books what a lease has spent since the last entry, to the day on which the ledger reads it. */
  private Spending booked(Spending spending, Lease from, Lease to) {
    return spending.booked(
        Scope.of(from.item(), from.provider()),
        Spending.day(appendTime),
        to.costMicros() - from.costMicros(),
        to.tokens() - from.tokens());
  }

  private static Digest moved(Digest digest, String kind, Object name, long from, long to) {
    Digest left = from < 0 ? digest : digest.minus(kind, name, from);
    return left.plus(kind, name, to);
  }

  private Operators operators() {
    return before.parts().operators();
  }

  private LedgerState.Parts parts() {
    return before.parts();
  }

  private LedgerState.Base base() {
    return before.base().at(offset);
  }

  private Folded none(String reason) {
    return new Folded(before.at(offset), new Effect.None(reason));
  }

  private Folded changed(LedgerState.Base base, LedgerState.Parts parts, Effect effect) {
    return folded(base, parts, before.sum(), effect);
  }

  private Folded folded(
      LedgerState.Base base, LedgerState.Parts parts, Digest digest, Effect effect) {
    return new Folded(before.changed(base, parts, digest), effect);
  }
}
