package dev.flyball.triage.item;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.state.ItemState.SessionNote;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an item remembers of its agent's sessions: the one that may be resumed, and those that never
 * are again. A rotated id is refused from then on, whichever record brings it back.
 */
final class AgentMemory {
  private AgentMemory() {}

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
