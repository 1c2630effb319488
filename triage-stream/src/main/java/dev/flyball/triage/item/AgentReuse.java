package dev.flyball.triage.item;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.state.ItemState.SessionNote;
import dev.flyball.triage.item.MachineSettings.ReuseLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether an item's next session goes on with the agent's own session, and what an ended one leaves
 * for it. It follows from the item's history alone. An item's key begins with its tenant, so no
 * other tenant's history can matter. A rotated id is refused from then on, whichever record brings
 * it back.
 *
 * @param resume the agent's session to go on with; null for a fresh one
 * @param rotation why the known one must never be resumed again, to follow "because"; null if it
 *     may be, or if there is none
 * @param previousRun the newest dead session of it, else the newest; null if there is none
 */
record AgentReuse(
    @Nullable AgentSession resume, @Nullable String rotation, @Nullable String previousRun) {
  private static final AgentReuse FRESH = new AgentReuse(null, null, null);

  /**
   * Decides for a request.
   *
   * @param profile the name of the agent's profile that the request asks for
   * @param failures how many attempts at this revision have failed
   */
  static AgentReuse of(
      ItemState state, String profile, int failures, Instant now, ReuseLimits limits) {
    AgentSession known = state.agentSession();
    if (known == null) {
      return FRESH;
    }
    List<SessionNote> runs =
        state.sessions().stream().filter(each -> known.id().equals(each.agentSession())).toList();
    String run = previousRun(runs, known.id());
    // What does not work comes first, whatever the limits on age and size allow.
    String rotation = dead(runs, known.id(), limits.dead());
    if (rotation == null) {
      rotation = unusable(runs, known.id());
    }
    if (rotation == null) {
      rotation = worn(known, now, limits);
    }
    if (rotation != null) {
      return new AgentReuse(null, rotation, run);
    }
    boolean usable =
        limits.reuse()
            && known.profile().equals(profile)
            && !(failures > 0 && unrelated(runs, known.id()));
    return usable ? new AgentReuse(known, null, run) : FRESH;
  }

  /**
   * Whether this session ended, as far as can be known, only because the agent's session does not
   * work any more. It is then no attempt at the item: a fresh one shows whose fault it was.
   */
  static boolean inVain(SessionNote note, @Nullable Failure failure) {
    boolean conclusive = unknown(note) || silent(note) || stuck(note);
    boolean temporary = failure == null || failure.kind() == Failure.Kind.TRANSIENT;
    return note.reused()
        && note.agentSession() != null
        && (conclusive || (temporary && note.dead(note.agentSession())));
  }

  /**
   * Whether the newest session of it did nothing, for a reason that is most likely not its own. The
   * next attempt then starts fresh, to be sure. The known session is kept: in an outage the fresh
   * one fails too, and leaves nothing.
   */
  private static boolean unrelated(List<SessionNote> runs, String id) {
    if (runs.isEmpty()) {
      return false;
    }
    SessionNote newest = runs.getFirst();
    return newest.reused()
        && newest.outcome() == Outcome.FAILED
        && newest.unused()
        && !newest.dead(id);
  }

  private static @Nullable String dead(List<SessionNote> runs, String id, int most) {
    int streak = 0;
    while (streak < runs.size() && runs.get(streak).dead(id)) {
      streak++;
    }
    return streak < most
        ? null
        : streak + " consecutive failed zero-token reused runs on persisted session " + id;
  }

  /** What the newest session shows, which no further one can better. */
  private static @Nullable String unusable(List<SessionNote> runs, String id) {
    if (runs.isEmpty()) {
      return null;
    }
    SessionNote newest = runs.getFirst();
    if (unknown(newest)) {
      return "the agent found no conversation of session " + id;
    }
    if (silent(newest)) {
      return "session " + id + " ended without an error and without a turn";
    }
    if (stuck(newest) && Failure.INVALID_REQUEST.equals(newest.failure())) {
      return "its model rejects the conversation of session " + id;
    }
    if (Failure.PROMPT_TOO_LONG.equals(newest.failure())) {
      return "session " + id + " has become too long for its model";
    }
    return Boolean.TRUE.equals(newest.cut())
        ? "session " + id + " was ended in the middle of a turn"
        : null;
  }

  private static boolean unknown(SessionNote note) {
    return Failure.UNKNOWN_SESSION.equals(note.failure());
  }

  /** Whether the model rejected what the resumed conversation holds, before it used a token. */
  private static boolean stuck(SessionNote note) {
    return note.reused()
        && note.outcome() == Outcome.FAILED
        && note.unused()
        && (Failure.INVALID_REQUEST.equals(note.failure())
            || Failure.PROMPT_TOO_LONG.equals(note.failure()));
  }

  private static boolean silent(SessionNote note) {
    return Failure.SILENT_SESSION.equals(note.failure());
  }

  private static @Nullable String worn(AgentSession known, Instant now, ReuseLimits limits) {
    if (limits.runs() > 0 && known.runs() >= limits.runs()) {
      return known.runs() + " sessions have used session " + known.id();
    }
    Duration age = Duration.between(known.since(), now);
    if (limits.age().isPositive() && age.compareTo(limits.age()) >= 0) {
      return "session " + known.id() + " is " + age.toHours() + " h old";
    }
    return limits.inputTokens() > 0 && known.used().input() >= limits.inputTokens()
        ? "session " + known.id() + " has used " + known.used().input() + " input tokens"
        : null;
  }

  private static @Nullable String previousRun(List<SessionNote> runs, String id) {
    return runs.stream()
        .filter(each -> each.dead(id))
        .findFirst()
        .or(() -> runs.stream().findFirst())
        .map(SessionNote::session)
        .orElse(null);
  }

  /** Clears the known agent session for good; the next session learns why. */
  static void rotate(Draft draft, String reason, @Nullable String previousRun) {
    AgentSession known = Objects.requireNonNull(draft.known().agentSession());
    Handover handover = handover(draft).because(reason, known.id(), previousRun);
    draft.memory = draft.memory.refuse(known.id());
    draft.remember(null, handover);
    draft.emit(
        EventType.ITEM_ROTATED,
        Draft.about(draft.known().snapshot())
            .with(Field.REASON, reason)
            .with(Field.PREVIOUS_SESSION, known.id())
            .with(Field.PREVIOUS_RUN, previousRun));
  }

  /**
   * Takes what an ended session leaves. An agent that reports no session leaves nothing, and brings
   * nothing back.
   *
   * @param asked the agent's session that its request named; null if it was fresh, or if the
   *     session is of an older request
   */
  static void ended(Draft draft, TerminalEvent terminal, @Nullable AgentSession asked) {
    SessionNote note = draft.known().sessions().getFirst();
    if (nothingSaid(note)) {
      return;
    }
    AgentSession known = draft.known().agentSession();
    if (asked != null && known != null && asked.id().equals(known.id()) && startedFresh(terminal)) {
      boolean same = Objects.equals(known.agent(), terminal.text(Field.AGENT));
      rotate(draft, same ? Handover.HOME_MISSING : Handover.OTHER_AGENT, note.session());
      known = null;
    }
    String id = note.agentSession();
    String home = note.home();
    if (id == null || home == null || draft.memory.refused(id)) {
      return;
    }
    Handover left = handover(draft);
    if (!note.reused()) {
      left = left.summaryOnly();
    }
    if (terminal.outcome() == Outcome.COMPLETED) {
      left = left.summing(terminal.completedResult().text());
    }
    draft.remember(next(known, note, id, home, terminal), left);
  }

  /**
   * Whether a fresh session ended before its model answered once. Its conversation holds nothing:
   * to resume it would only add starts in an outage. Nor does it replace one that holds something.
   */
  private static boolean nothingSaid(SessionNote note) {
    return !note.reused() && note.outcome() != Outcome.COMPLETED && note.unused();
  }

  private static AgentSession next(
      @Nullable AgentSession known,
      SessionNote note,
      String id,
      String home,
      TerminalEvent terminal) {
    TokenCount used = note.used() == null ? new TokenCount(note.tokens(), 0, 0) : note.used();
    if (known != null && known.id().equals(id)) {
      return known.after(used, home);
    }
    String profile = terminal.text(Field.PROFILE);
    // An agent may give a resumed session a new id. It is as old and as large as before.
    AgentSession earlier = note.reused() ? known : null;
    return new AgentSession(
        id,
        home,
        terminal.text(Field.AGENT),
        profile == null ? Route.DEFAULT : profile,
        earlier == null ? 1 : earlier.runs() + 1,
        earlier == null ? note.endedAt() : earlier.since(),
        earlier == null ? used : earlier.used().plus(used));
  }

  /** Whether its runner, which could have resumed, reported that it did not. */
  private static boolean startedFresh(TerminalEvent terminal) {
    return "false".equals(terminal.text(Field.REUSED));
  }

  private static Handover handover(Draft draft) {
    Handover known = draft.known().handover();
    return known == null ? Handover.NONE : known;
  }
}
