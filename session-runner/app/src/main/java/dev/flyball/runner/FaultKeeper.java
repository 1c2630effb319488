package dev.flyball.runner;

import dev.flyball.contract.ledger.LedgerEntry.Decline;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Health.Condition;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.execution.Sessions;
import dev.flyball.runner.gate.RunnerFaults;
import dev.flyball.runner.gate.RunnerFaults.Asked;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.gate.RunnerFaults.Fault;
import dev.flyball.runner.gate.RunnerFaults.Scope;
import dev.flyball.runner.ledger.RunnerCallbacks;
import dev.flyball.runner.queue.RequestIndex.Group;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.End;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Holds the faults of this runner for the threads that meet and obey them, and knows which sources
 * and profiles its configuration lacks. Any thread.
 */
final class FaultKeeper implements RunnerCallbacks.Declines, Sessions.Blame {
  /** Most lines of health; a person reads the first ones. */
  private static final int SHOWN = 8;

  private final Set<String> profiles;
  private final BiPredicate<String, @Nullable String> sources;
  private final Predicate<String> hangs;
  private final LongSupplier nanos;
  private final BiConsumer<Boolean, String> changed;

  // Guarded by this.
  private final RunnerFaults faults = new RunnerFaults();
  private Map<Scope, String> said = Map.of();
  private Map<String, Integer> unknownSources = Map.of();
  private Map<String, Integer> unknownProfiles = Map.of();

  /**
   * Creates a keeper that knows no fault.
   *
   * @param profiles the names of those that this runner has
   * @param sources whether it knows a source, or the one that read the source's items
   * @param hangs whether the start of a session was given up and still hangs
   * @param changed hears whether a scope is declined from now on, or not any more
   */
  FaultKeeper(
      Set<String> profiles,
      BiPredicate<String, @Nullable String> sources,
      Predicate<String> hangs,
      LongSupplier nanos,
      BiConsumer<Boolean, String> changed) {
    this.profiles = profiles;
    this.sources = sources;
    this.hangs = hangs;
    this.nanos = nanos;
    this.changed = changed;
  }

  @Override
  public End charged(Session session, End end, Course course) {
    End charged;
    synchronized (this) {
      charged = faults.ended(asked(session), end, course, nanos.getAsLong());
    }
    say();
    return charged;
  }

  @Override
  public void works(Session session, boolean spoke) {
    synchronized (this) {
      faults.works(asked(session), true, spoke);
    }
    say();
  }

  /** Records that a session begins; whatever becomes of it, the next one may decide after it. */
  void began(Session session) {
    synchronized (this) {
      faults.began(asked(session));
    }
    var _ = session.whenClosed().thenRun(() -> over(session.id()));
  }

  private synchronized void over(String session) {
    faults.over(session);
  }

  @Override
  public synchronized boolean declines(Waiting request) {
    return !sources.test(request.source(), request.polledBy())
        || faults.declines(request.profile(), request.source());
  }

  @Override
  public synchronized boolean lastResort(Waiting request) {
    return faults.lastResort(request.profile(), request.item());
  }

  @Override
  public synchronized List<Decline> turn(List<Group> waiting) {
    unknownSources = counted(waiting, each -> !sources.test(each.source(), each.polledBy()), true);
    unknownProfiles = counted(waiting, each -> !profiles.contains(each.profile()), false);
    faults.reopen(nanos.getAsLong(), hangs);
    return Stream.concat(
            faults.declined().stream(), unknownSources.keySet().stream().map(FaultKeeper::unknown))
        .toList();
  }

  private static Map<String, Integer> counted(
      List<Group> waiting, Predicate<Group> which, boolean bySource) {
    return waiting.stream()
        .filter(which)
        .collect(
            Collectors.toMap(
                each -> bySource ? each.source() : each.profile(),
                Group::count,
                Integer::sum,
                TreeMap::new));
  }

  private static Decline unknown(String source) {
    return new Decline(
        null,
        source,
        Decline.UNKNOWN_SOURCE,
        "this runner does not know source " + source + "; add it to its sources");
  }

  /** Reports what changed; the ledger's thread must not wait for it, so it is called outside. */
  private void say() {
    var lines = new ArrayList<Runnable>();
    synchronized (this) {
      var now = new LinkedHashMap<Scope, String>();
      faults.all().forEach(each -> now.put(each.scope(), each.code()));
      faults.all().stream()
          .filter(each -> !each.code().equals(said.get(each.scope())))
          .forEach(each -> lines.add(() -> changed.accept(true, each.text())));
      said.keySet().stream()
          .filter(each -> !now.containsKey(each))
          .forEach(each -> lines.add(() -> changed.accept(false, each.text())));
      said = now;
    }
    lines.forEach(Runnable::run);
  }

  /**
   * Whether there is a profile without a known fault. A data folder that cannot be written is one
   * of all, a program that is logged out is one of its profile. While a session decides whether a
   * fault is over, it still is one.
   */
  synchronized boolean accepts() {
    return profiles.stream()
        .anyMatch(
            profile -> faults.all().stream().noneMatch(each -> each.scope().coversAll(profile)));
  }

  /** What this runner declines, and why. */
  synchronized Health health() {
    List<Condition> all =
        Stream.of(
                faults.all().stream()
                    .map(each -> new Condition(each.code(), each.scope().text(), each.text())),
                unknownSources.entrySet().stream()
                    .map(each ->
                        new Condition(
                            Decline.UNKNOWN_SOURCE,
                            each.getKey(),
                            items(each.getValue(), "of source " + each.getKey())
                                + ", which this runner does not know; add it to its sources")),
                unknownProfiles.entrySet().stream()
                    .map(each ->
                        new Condition(
                            "unknown-profile",
                            each.getKey(),
                            items(each.getValue(), "for profile " + each.getKey())
                                + ", which this runner does not have; add it to its agents")))
            .flatMap(each -> each)
            .toList();
    Health health = Health.degraded(all.subList(0, Math.min(SHOWN, all.size())));
    return all.size() <= SHOWN
        ? health
        : health.and(
            Health.degraded("more-faults", all.size() - SHOWN + " more faults of this runner"));
  }

  /**
   * Why sessions wait for a person: the faults that were met more than once in a row. Empty if this
   * runner declines nothing so far.
   */
  synchronized Set<String> lasting() {
    return Stream.concat(
            faults.all().stream().filter(each -> each.times() > 1).map(Fault::what),
            unknownSources.keySet().stream().map(each -> unknown(each).reason()))
        .collect(Collectors.toSet());
  }

  private static String items(int count, String which) {
    return count + (count == 1 ? " item " : " items ") + which + (count == 1 ? " waits" : " wait");
  }

  private static Asked asked(Session session) {
    return new Asked(session.id(), session.item(), session.profile());
  }
}
