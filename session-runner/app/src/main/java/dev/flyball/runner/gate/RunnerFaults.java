package dev.flyball.runner.gate;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry.Decline;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.session.End;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The faults of this runner and its settings, and the requests that it declines for them. Every
 * item would meet such a fault here, and a runner whose sessions fail within a second always has a
 * free slot: without a pause it would take every request from the runners that work.
 *
 * <p>A fault shuts what it concerns (a profile, a source, both or the whole runner) for a pause,
 * which doubles each time. Then one session decides: what it meets opens the scope or begins the
 * next pause. While the start that met a fault still hangs, as in a mount, its scope stays shut.
 *
 * <p>Pure: time comes in as nanoseconds of the runner's elapsed clock. Not thread-safe.
 */
public final class RunnerFaults {
  /** The first pause. */
  public static final Duration SHORTEST = Duration.ofSeconds(10);

  /** The longest pause: so long a runner that was repaired may stay idle. */
  public static final Duration LONGEST = Duration.ofMinutes(10);

  /**
   * Ends in a row, of different items, without one token and without an answer, that are taken for
   * a fault of the profile whatever their codes are.
   */
  static final int IN_A_ROW = 3;

  /** Code of that fault. */
  static final String NO_ANSWERS = "agent-no-answers";

  /** Most faults; the oldest is forgotten. Items may name any number of sources. */
  private static final int MOST = 1_000;

  /** Most items without an answer that are remembered for each profile. */
  private static final int MOST_SILENT = 64;

  /** Ends that speak of the item or of a stored conversation, although no token was used. */
  private static final Set<String> OF_THE_ITEM =
      Set.of(Failure.UNKNOWN_SESSION, Failure.SILENT_SESSION, Failure.PROMPT_TOO_LONG);

  private static final Set<ItemKey> NO_ITEMS = Set.of();

  private final Map<Scope, Fault> faults = new LinkedHashMap<>();

  /** By profile: the items whose sessions ended in a row without a token or an answer. */
  private final Map<String, Set<ItemKey>> silent = new HashMap<>();

  /** By profile: items of no row any more, after whose end a session began that spoke. */
  private final Map<String, Set<ItemKey>> atFault = new HashMap<>();

  /** By live session: the silent items of its profile when it began. */
  private final Map<String, Set<ItemKey>> before = new HashMap<>();

  /**
   * What a fault concerns.
   *
   * @param profile null for all
   * @param source {@code tenant/source}, null for all
   */
  public record Scope(@Nullable String profile, @Nullable String source) {
    /** The whole runner. */
    public static final Scope RUNNER = new Scope(null, null);

    /** What a failure of a runner concerns; a code that is not known concerns the whole runner. */
    static Scope of(String code, Asked asked) {
      return switch (code) {
        case Failure.AGENT_USER -> RUNNER;
        case Failure.AGENT_PROGRAM_OF_SOURCE -> new Scope(asked.profile(), asked.source());
        case Failure.REPOSITORY -> new Scope(null, asked.source());
        default -> new Scope(code.startsWith("agent-") ? asked.profile() : null, null);
      };
    }

    private boolean covers(String asked, String of) {
      return (profile == null || profile.equals(asked)) && (source == null || source.equals(of));
    }

    /** Whether it concerns every item for a profile. */
    public boolean coversAll(String asked) {
      return source == null && (profile == null || profile.equals(asked));
    }

    /** For a person, for example {@code profile deep}. */
    public String text() {
      return Decline.concerns(profile, source);
    }
  }

  /** A session, as its request asked for it. */
  public record Asked(String session, ItemKey item, String profile) {
    String source() {
      return item.sourceKey();
    }
  }

  /** How far a fault is from being over. */
  private enum Phase {
    /** Until the pause ends. */
    SHUT,
    /** The next session decides. */
    OPEN_TO_ONE,
    /** That session runs. */
    TRIED
  }

  /**
   * A fault that is not known to be over.
   *
   * @param code of its {@link Failure}
   * @param times how often it was met in a row
   * @param last the session that met it last
   * @param shutUntil the end of its pause, elapsed nanoseconds
   * @param trial the session that decides; null unless one runs
   */
  public record Fault(
      Scope scope,
      String code,
      String reason,
      int times,
      String last,
      Phase phase,
      long shutUntil,
      @Nullable String trial) {

    private Fault in(Phase next, @Nullable String session) {
      return new Fault(scope, code, reason, times, last, next, shutUntil, session);
    }

    /** What is wrong with what, one line for a person. */
    public String what() {
      return scope.text() + ": " + code + ": " + reason;
    }

    /** The same with what follows from it. */
    public String text() {
      return what()
          + (phase == Phase.SHUT
              ? "; declined, and tried again after " + pause(times).toSeconds() + " s"
              : "; the next session decides whether that is over");
    }
  }

  /** How long a fault shuts its scope that was met so often in a row. */
  private static Duration pause(int times) {
    Duration grown = SHORTEST.multipliedBy(1L << Math.min(times - 1, 20));
    return grown.compareTo(LONGEST) < 0 ? grown : LONGEST;
  }

  /**
   * How far a session came.
   *
   * @param started whether its agent was started
   * @param spoke whether the agent answered, used a token or, where it never reports tokens, wrote
   *     a part of an answer
   * @param bySelf whether its agent, and not a limit, an operator or the lease, ended it
   */
  public record Course(boolean started, boolean spoke, boolean bySelf) {}

  /**
   * Records how far a session came while it goes on: a scope need not stay shut to its end.
   *
   * @param spoke see {@link Course}
   */
  public void works(Asked asked, boolean started, boolean spoke) {
    faults
        .values()
        .removeIf(each ->
            asked.session().equals(each.trial())
                && (spoke || (started && each.scope().profile() == null)));
  }

  /** Records that a session of a profile ended that spoke: what was silent was not the profile. */
  private void spoke(Asked asked) {
    Set<ItemKey> known = atFault.computeIfAbsent(asked.profile(), each -> new LinkedHashSet<>());
    known.addAll(before.getOrDefault(asked.session(), Set.of()));
    known.remove(asked.item());
    while (known.size() > MOST) {
      known.remove(known.iterator().next());
    }
    silent.remove(asked.profile());
    faults
        .values()
        .removeIf(each ->
            each.code().equals(NO_ANSWERS) && asked.profile().equals(each.scope().profile()));
  }

  /**
   * Takes the end of a session. Call it before the end is reported, so that the slot which becomes
   * free does not start the next session into the same fault.
   *
   * @return the end as it is charged: a fault of this runner uses up no attempt of the item
   */
  public End ended(Asked asked, End end, Course course, long now) {
    works(asked, course.started(), course.spoke());
    if (course.spoke()) {
      spoke(asked);
    }
    before.remove(asked.session());
    End charged = course.spoke() ? end : charged(asked, end, course);
    Failure failure = charged.failure();
    Scope scope =
        failure != null && failure.kind() == Kind.RUNNER ? Scope.of(failure.code(), asked) : null;
    undecided(asked.session(), each -> !each.scope().equals(scope));
    if (failure != null && scope != null) {
      met(scope, failure.code(), charged.text(), asked.session(), now);
    }
    return charged;
  }

  private End charged(Asked asked, End end, Course course) {
    Failure failure = end.failure();
    if (!course.bySelf()
        || failure == null
        || !saysNothing(end.outcome(), failure)
        || atFault.getOrDefault(asked.profile(), NO_ITEMS).contains(asked.item())) {
      return end;
    }
    Set<ItemKey> items = silent.computeIfAbsent(asked.profile(), each -> new LinkedHashSet<>());
    items.remove(asked.item());
    items.add(asked.item());
    if (items.size() > MOST_SILENT) {
      items.remove(items.iterator().next());
    }
    boolean trial =
        faults.values().stream()
            .anyMatch(
                each -> asked.session().equals(each.trial()) && each.scope().profile() != null);
    if (items.size() < IN_A_ROW && !trial) {
      return notYetPermanent(end, failure);
    }
    return end.with(
        Outcome.INTERRUPTED,
        new Failure(Kind.RUNNER, NO_ANSWERS),
        items.size()
            + " sessions in a row ended without an answer and without a token, at last: "
            + end.text());
  }

  /**
   * What looks permanent may be this runner's: an endpoint that rejects every request of it. The
   * item is tried again, and ends for good once a session that spoke shows that it is at fault.
   */
  private static End notYetPermanent(End end, Failure failure) {
    return failure.kind() == Kind.TRANSIENT
        ? end
        : end.with(end.outcome(), new Failure(Kind.TRANSIENT, failure.code()), end.reason());
  }

  private static boolean saysNothing(Outcome outcome, Failure failure) {
    boolean failed = outcome == Outcome.FAILED || outcome == Outcome.TIMED_OUT;
    return failed
        && (failure.kind() == Kind.TRANSIENT || failure.kind() == Kind.PERMANENT)
        && !OF_THE_ITEM.contains(failure.code());
  }

  private void met(Scope scope, String code, String reason, String session, long now) {
    Fault known = faults.remove(scope);
    // Sessions that began before the fault was met say nothing new about it.
    boolean again = known != null && known.phase() != Phase.SHUT;
    int times = known == null ? 1 : again ? known.times() + 1 : known.times();
    long until = known != null && !again ? known.shutUntil() : now + pause(times).toNanos();
    faults.put(scope, new Fault(scope, code, reason, times, session, Phase.SHUT, until, null));
    if (faults.size() > MOST) {
      faults.remove(faults.keySet().iterator().next());
    }
  }

  /**
   * Lets one session decide about each fault whose pause is over. A start that still hangs prolongs
   * the pause, but not for ever: what was mounted again does not free the thread that hung.
   *
   * @param hangs whether the start of a session was given up and still hangs
   */
  public void reopen(long now, Predicate<String> hangs) {
    faults.replaceAll((scope, each) ->
        each.phase() == Phase.SHUT
                && now >= each.shutUntil()
                && (now >= each.shutUntil() + LONGEST.toNanos() || !hangs.test(each.last()))
            ? each.in(Phase.OPEN_TO_ONE, null)
            : each);
  }

  /** Whether a request for this profile of this source is not claimed now. */
  public boolean declines(String profile, String source) {
    return faults.values().stream()
        .anyMatch(
            each -> each.phase() != Phase.OPEN_TO_ONE && each.scope().covers(profile, source));
  }

  /**
   * Whether another item, or else another runner, should decide first. This one's session ended
   * here without an answer: before the row has decided, it could use up its attempts on a fault of
   * the profile. And once a fault is known, an item that is at fault itself would keep the profile
   * shut for all others.
   */
  public boolean lastResort(String profile, ItemKey item) {
    return silent.getOrDefault(profile, NO_ITEMS).contains(item)
        || (atFault.getOrDefault(profile, NO_ITEMS).contains(item)
            && faults.values().stream()
                .anyMatch(each -> each.scope().covers(profile, item.sourceKey())));
  }

  /** Records that this session begins. */
  public void began(Asked asked) {
    before.put(asked.session(), Set.copyOf(silent.getOrDefault(asked.profile(), NO_ITEMS)));
    faults.replaceAll((scope, each) ->
        each.phase() == Phase.OPEN_TO_ONE && scope.covers(asked.profile(), asked.source())
            ? each.in(Phase.TRIED, asked.session())
            : each);
  }

  /** Records that a session is over, however it ended: if it decided nothing, the next one does. */
  public void over(String session) {
    before.remove(session);
    undecided(session, each -> true);
  }

  /** A session that was to decide about these faults decided nothing: the next one does. */
  private void undecided(String session, Predicate<Fault> which) {
    faults.replaceAll((scope, each) ->
        session.equals(each.trial()) && which.test(each) ? each.in(Phase.OPEN_TO_ONE, null) : each);
  }

  /** All faults that are not known to be over, the oldest first. */
  public Collection<Fault> all() {
    return List.copyOf(faults.values());
  }

  /** What this runner's entry says it declines. */
  public List<Decline> declined() {
    return faults.values().stream()
        .filter(each -> each.phase() != Phase.OPEN_TO_ONE)
        .map(each ->
            new Decline(each.scope().profile(), each.scope().source(), each.code(), each.reason()))
        .toList();
  }
}
