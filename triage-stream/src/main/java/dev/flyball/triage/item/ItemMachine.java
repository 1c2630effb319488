package dev.flyball.triage.item;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import java.time.Instant;
import java.util.List;

/**
 * Decides the item's next state and what is to be done about it. Pure: the same item, input and
 * time give the same decision, ids included.
 */
public final class ItemMachine {
  private final MachineSettings settings;

  /** The item after an input, and what is to be done, in order. */
  public record Decision(Item item, List<TriageEffect> effects) {
    public Decision {
      effects = List.copyOf(effects);
    }
  }

  /**
   * A snapshot that is exactly the newest one known of its item: all that its decision takes, so
   * that neither the snapshot nor the item's state need be read whole.
   *
   * @param phase the item's phase
   * @param closed whether the snapshot says that no work is wanted
   */
  public record Repeat(ItemPhase phase, String revision, String title, boolean closed) {}

  public ItemMachine(MachineSettings settings) {
    this.settings = settings;
  }

  /**
   * Decides one step. An input that changes nothing returns the item as it was, without effects.
   *
   * @param questions how far those of the item's partition have come
   */
  public Decision decide(ItemKey key, Item item, Input input, Instant now, Questions questions) {
    var draft = new Draft(settings, key, item, input.origin(), now, questions);
    switch (input) {
      case Input.SnapshotSeen in -> Intake.seen(draft, in.snapshot());
      case Input.VerdictGiven in -> RequestRules.verdict(draft, in.verdict());
      case Input.VerdictMissing in -> askAgain(draft, in.why());
      case Input.VerdictDeferred in -> RequestRules.deferred(draft, in.why());
      case Input.SessionReported in -> reported(draft, in);
      case Input.CommandGiven in -> CommandHandling.given(draft, in.command());
      case Input.DueReached in -> due(draft);
    }
    return draft.decision();
  }

  /**
   * Decides a snapshot that is exactly the newest one known, from the little that this takes; the
   * same decision as {@link #decide} makes of the whole item. It changes no item.
   *
   * @return what is to be done; empty where only the whole item can tell
   */
  public List<TriageEffect> repeated(ItemKey key, InputPosition origin, Repeat seen, Instant now) {
    if (!Intake.keeps(seen.phase(), seen.closed())) {
      return List.of();
    }
    var draft = new Draft(settings, key, Item.UNKNOWN, origin, now, Questions.NONE);
    Intake.repeated(draft, seen.revision(), seen.title());
    return draft.decision().effects();
  }

  /** What comes after a session's terminal changes nothing; a late result is only reported. */
  private static void reported(Draft draft, Input.SessionReported in) {
    if (!draft.memory.isEnded(in.session().token())) {
      if (in.type() == EventType.SESSION_LEASE_ENDED) {
        LeaseEndRules.ended(draft, in);
      } else {
        draft.memory = draft.memory.reported(in);
      }
      if (in.type() == EventType.SESSION_CLAIMED) {
        claimed(draft, in);
      }
    } else if (in.type() == EventType.SESSION_RESULT) {
      draft.emit(
          in.session().session() + "-late",
          EventType.SESSION_LATE_RESULT,
          in.data().with(Field.REASON, "it came after its session's terminal event"));
    }
  }

  private static void claimed(Draft draft, Input.SessionReported in) {
    ItemState state = draft.state();
    if (state != null
        && state.phase() instanceof ItemPhase.Queued queued
        && queued.outstanding().request().equals(in.session().request())) {
      draft.to(
          new ItemPhase.Running(
              queued.outstanding(),
              queued.verdict(),
              in.session().session(),
              in.session().token().toString(),
              in.data().text(Field.RUNNER).orElse(""),
              false));
    }
  }

  private static void due(Draft draft) {
    ItemState state = draft.state();
    if (state == null || state.phase().dueAt().filter(at -> !at.isAfter(draft.now)).isEmpty()) {
      return;
    }
    if (state.phase() instanceof ItemPhase.Failed failed) {
      RequestRules.publish(draft, failed.verdict(), failed.attempts().next());
    } else if (state.phase() instanceof ItemPhase.Triaging triaging) {
      RequestRules.overdue(draft, triaging);
    }
  }

  private static void askAgain(Draft draft, String why) {
    ItemState state = draft.state();
    if (state != null && state.phase() instanceof ItemPhase.Triaging triaging) {
      RequestRules.askAgain(draft, triaging, why);
    }
  }
}
