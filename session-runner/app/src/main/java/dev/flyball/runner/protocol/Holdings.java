package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** This runner's sessions: renewals, fences and releases. */
final class Holdings {
  private final LeaseNanos clockwork;
  private final FenceRule rule;
  private final Map<String, Holding> sessions = new LinkedHashMap<>();
  private final TreeMap<Long, Sent> sends = new TreeMap<>();
  private long lastN;
  private boolean lastSeen = true;
  private long lastSentAt;
  private boolean changed;

  Holdings(LeaseNanos clockwork, FenceRule rule) {
    this.clockwork = clockwork;
    this.rule = rule;
  }

  /**
   * A renewal that was sent. {@code session} is one that it names, which distinguishes it from
   * another process's renewal with the same {@code n}.
   */
  private record Sent(long at, String session) {}

  boolean owns(String session) {
    return sessions.containsKey(session);
  }

  /** How many sessions hold a slot of this runner. */
  int size() {
    return sessions.size();
  }

  /** Sessions that may live on. */
  List<String> live() {
    return sessions.entrySet().stream()
        .filter(each -> each.getValue() instanceof Holding.Live)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Whether a tree of this runner may be alive. */
  boolean anyAlive() {
    return sessions.values().stream().anyMatch(each -> !(each instanceof Holding.Dead));
  }

  Fence started(String session, long sentAt, long seenAt) {
    if (!renewing()) {
      lastSentAt = sentAt;
      lastSeen = true;
    }
    Fence fence = clockwork.fence(rule.countsFrom(sentAt, seenAt));
    put(session, new Holding.Live(fence));
    return fence;
  }

  /** Takes over the release of a session whose tree is verified dead. */
  void dead(LedgerEntry.Release release, long now) {
    put(release.session(), new Holding.Dead(release, now, now));
  }

  /**
   * Fences the sessions whose fence has passed at {@code now}. Call it before anything that was
   * received at {@code now} can extend a fence.
   */
  List<Step> fence(long now) {
    List<Step> steps = new ArrayList<>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Live live && now >= live.fence().fenceAt()) {
        put(each.getKey(), live.fenced());
        steps.add(new Step.Kill(each.getKey(), KillReason.FENCED));
      }
    }
    return steps;
  }

  List<Step> killAll() {
    List<Step> steps = new ArrayList<>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Live live) {
        put(each.getKey(), live.fenced());
        steps.add(new Step.Kill(each.getKey(), KillReason.LEDGER_UNUSABLE));
      }
    }
    return steps;
  }

  /** Takes a renewal that was read, of this runner or another, with or without effect. */
  void read(LedgerEntry.Renew renew) {
    Sent sent = sends.get(renew.n());
    if (sent != null && renew.n() == lastN && names(renew, sent.session())) {
      lastSeen = true;
    }
  }

  @Nullable Step renewed(long n, Lease lease, long seenAt) {
    Sent sent = sends.get(n);
    if (sent == null || !(sessions.get(lease.session()) instanceof Holding.Live live)) {
      return null;
    }
    Holding.Live extended = live.extended(clockwork.fence(rule.countsFrom(sent.at(), seenAt)));
    if (extended.equals(live)) {
      return null;
    }
    put(lease.session(), extended);
    Fence fence = extended.fence();
    return new Step.Extend(lease.session(), fence.fenceAt(), fence.deadmanAt());
  }

  /** Takes the end of a session in the ledger. If its tree is still alive, the step kills it. */
  @Nullable Step ended(String session) {
    return switch (sessions.get(session)) {
      case null -> null;
      case Holding.Live live -> {
        put(session, live.leaseEnded());
        yield new Step.Kill(session, KillReason.LEASE_ENDED);
      }
      case Holding.Killing killing -> {
        put(session, killing.leaseEnded());
        yield null;
      }
      case Holding.Orphan orphan -> null;
      case Holding.Dead dead -> {
        remove(session);
        yield new Step.Closed(session);
      }
    };
  }

  /** Whether a session's lease had ended before its tree: then there is nothing to release. */
  boolean orphaned(String session) {
    return sessions.get(session) instanceof Holding.Orphan;
  }

  void remove(String session) {
    sessions.remove(session);
    changed = true;
  }

  /** Sessions whose tree is dead and whose end the fold has not shown yet. */
  List<String> pendingReleases() {
    return sessions.entrySet().stream()
        .filter(each -> each.getValue() instanceof Holding.Dead)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Nullable Step renewal(long now, ClaimSource demand) {
    if (!renewing() || now < nextRenewal()) {
      return null;
    }
    var usages = new ArrayList<LedgerEntry.Usage>();
    sessions.forEach((session, holding) -> {
      if (renews(holding)) {
        usages.add(demand.usage(session));
      }
    });
    lastN++;
    lastSentAt = now;
    lastSeen = false;
    sends.put(lastN, new Sent(now, usages.getFirst().session()));
    // A renewal older than a lease could only set a fence that has passed.
    sends.values().removeIf(sent -> now - sent.at() > clockwork.lease());
    return new Step.Append(new LedgerEntry.Renew(lastN, usages));
  }

  /**
   * Releases that are due now. With {@code giveUp}, when the fold can no longer show their end, a
   * release is closed after a lease.
   */
  List<Step> releases(long now, boolean giveUp) {
    List<Step> steps = new ArrayList<>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Dead dead && now >= dead.nextSend()) {
        if (giveUp && now - dead.since() > clockwork.lease()) {
          remove(each.getKey());
          steps.add(new Step.Closed(each.getKey()));
        } else {
          put(each.getKey(), dead.sent(now + clockwork.retry()));
          steps.add(new Step.Append(dead.release()));
        }
      }
    }
    return steps;
  }

  long nextTick() {
    long next = renewing() ? nextRenewal() : Long.MAX_VALUE;
    for (Holding each : sessions.values()) {
      next =
          switch (each) {
            case Holding.Live live -> Math.min(next, live.fence().fenceAt());
            case Holding.Dead dead -> Math.min(next, dead.nextSend());
            case Holding.Killing killing -> next;
            case Holding.Orphan orphan -> next;
          };
    }
    return next;
  }

  /** The live sessions' fences; null if they did not change since the last call. */
  @Nullable Map<String, Fence> changedFences() {
    if (!changed) {
      return null;
    }
    changed = false;
    var fences = new HashMap<String, Fence>();
    sessions.forEach((session, holding) -> {
      if (holding instanceof Holding.Live live) {
        fences.put(session, live.fence());
      }
    });
    return Map.copyOf(fences);
  }

  private long nextRenewal() {
    return lastSentAt + (lastSeen ? clockwork.renew() : clockwork.retry());
  }

  private boolean renewing() {
    return sessions.values().stream().anyMatch(Holdings::renews);
  }

  private static boolean renews(Holding holding) {
    return holding instanceof Holding.Live || holding instanceof Holding.Killing;
  }

  private static boolean names(LedgerEntry.Renew renew, String session) {
    return renew.sessions().stream().anyMatch(usage -> usage.session().equals(session));
  }

  private void put(String session, Holding holding) {
    sessions.put(session, holding);
    changed = true;
  }
}
