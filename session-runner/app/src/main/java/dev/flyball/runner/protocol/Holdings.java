package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** This runner's sessions: renewals, fences and releases. */
final class Holdings {
  private final LeaseNanos nanos;
  private final Map<String, Holding> sessions = new LinkedHashMap<>();
  private final TreeMap<Long, Sent> sends = new TreeMap<>();
  private long lastN;
  private boolean lastSeen = true;
  private long lastSentAt;

  Holdings(LeaseNanos nanos) {
    this.nanos = nanos;
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

  Fence started(String session, long sentAt, long seenAt) {
    if (!renewing()) {
      lastSentAt = sentAt;
      lastSeen = true;
    }
    Fence fence = nanos.fence(sentAt, seenAt);
    sessions.put(session, new Holding.Live(fence));
    return fence;
  }

  /**
   * Takes over the release of a session whose tree is verified dead.
   *
   * @param ended the ledger shows the session's end already
   */
  Step dead(LedgerEntry.Release release, boolean ended, long now) {
    String session = release.session();
    if (ended || sessions.get(session) instanceof Holding.Orphan) {
      sessions.remove(session);
      return new Step.Closed(session);
    }
    sessions.put(session, new Holding.Dead(release, now, now + nanos.retry));
    return new Step.Append(release);
  }

  /**
   * Fences the sessions whose fence has passed at {@code now}. Call it before anything that was
   * received at {@code now} can extend a fence.
   */
  List<Step> fence(long now) {
    List<Step> steps = new ArrayList<>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Live live && now >= live.fence().fenceAt()) {
        sessions.put(each.getKey(), new Holding.Killing());
        steps.add(new Step.Kill(each.getKey(), Step.Kill.Reason.FENCED));
      }
    }
    return steps;
  }

  List<Step> killAll() {
    List<Step> steps = new ArrayList<>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Live) {
        sessions.put(each.getKey(), new Holding.Killing());
        steps.add(new Step.Kill(each.getKey(), Step.Kill.Reason.LEDGER_UNUSABLE));
      }
    }
    return steps;
  }

  /** Takes an entry that was read, of this runner or another, with or without effect. */
  void read(LedgerEntry entry) {
    if (entry instanceof LedgerEntry.Renew renew && renew.n() == lastN) {
      Sent sent = sends.get(lastN);
      lastSeen |= sent != null && names(renew, sent.session());
    }
  }

  Optional<Step> renewed(long n, Lease lease, long seenAt) {
    Sent sent = sends.get(n);
    if (sent == null || !(sessions.get(lease.session()) instanceof Holding.Live live)) {
      return Optional.empty();
    }
    Fence fence = nanos.fence(sent.at(), seenAt);
    if (fence.fenceAt() <= live.fence().fenceAt()) {
      return Optional.empty();
    }
    sessions.put(lease.session(), new Holding.Live(fence));
    return Optional.of(new Step.Extend(lease.session(), fence));
  }

  /** Takes the end of a session in the ledger. If its tree is still alive, the step kills it. */
  Optional<Step> ended(String session) {
    return switch (sessions.get(session)) {
      case null -> Optional.empty();
      case Holding.Live live -> {
        sessions.put(session, new Holding.Orphan());
        yield Optional.of(new Step.Kill(session, Step.Kill.Reason.LEASE_ENDED));
      }
      case Holding.Killing killing -> {
        sessions.put(session, new Holding.Orphan());
        yield Optional.empty();
      }
      case Holding.Orphan orphan -> Optional.empty();
      case Holding.Dead dead -> {
        sessions.remove(session);
        yield Optional.of(new Step.Closed(session));
      }
    };
  }

  /** Closes the sessions whose tree is dead and whose end the ledger shows. */
  List<Step> endedBefore(LedgerState ledger) {
    var steps = new ArrayList<Step>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Dead && ledger.lease(each.getKey()).isEmpty()) {
        sessions.remove(each.getKey());
        steps.add(new Step.Closed(each.getKey()));
      }
    }
    return steps;
  }

  Optional<Step> renewal(long now, ClaimSource demand) {
    if (!renewing() || now < nextRenewal()) {
      return Optional.empty();
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
    sends.values().removeIf(sent -> now - sent.at() > nanos.lease());
    return Optional.of(new Step.Append(new LedgerEntry.Renew(lastN, usages)));
  }

  /**
   * Releases that are due now. With {@code giveUp}, when the fold can no longer show their end, a
   * release is closed after a lease.
   */
  List<Step> releases(long now, boolean giveUp) {
    List<Step> steps = new ArrayList<>();
    for (var each : List.copyOf(sessions.entrySet())) {
      if (each.getValue() instanceof Holding.Dead dead && now >= dead.nextSend()) {
        if (giveUp && now - dead.since() > nanos.lease()) {
          sessions.remove(each.getKey());
          steps.add(new Step.Closed(each.getKey()));
        } else {
          sessions.put(
              each.getKey(), new Holding.Dead(dead.release(), dead.since(), now + nanos.retry));
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

  private long nextRenewal() {
    return lastSentAt + (lastSeen ? nanos.renew : nanos.retry);
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

  /** One session of this runner, from its effective claim until the ledger shows its end. */
  private sealed interface Holding {

    record Live(Fence fence) implements Holding {}

    /**
     * The session reached its fence, which is final. It is renewed until its tree is verified dead,
     * so an unkillable tree keeps its slot.
     */
    record Killing() implements Holding {}

    /** The lease has ended while its tree may live: nothing is left to renew or release. */
    record Orphan() implements Holding {}

    /** Its tree is verified dead; the release is repeated until the ledger shows the end. */
    record Dead(LedgerEntry.Release release, long since, long nextSend) implements Holding {}
  }
}
