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
  private final Intake intake;
  private final RequestRules requests;
  private final LeaseEndRules end;
  private final CommandHandling orders;

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
    this.requests = new RequestRules(settings);
    this.intake = new Intake(settings, requests);
    this.end = new LeaseEndRules(settings, requests, intake);
    this.orders = new CommandHandling(requests, intake);
  }

  /**
   * Decides one step. An input that changes nothing returns the item as it was, without effects.
   *
   * @param questions how far those of the item's partition have come
   */
  public Decision decide(ItemKey key, Item item, Input input, Instant now, Questions questions) {
    var draft = new Draft(key, item, input.origin(), now, questions);
    switch (input) {
      case Input.SnapshotSeen in -> intake.seen(draft, in.snapshot());
      case Input.VerdictGiven in -> requests.verdict(draft, in.verdict());
      case Input.VerdictMissing in -> askAgain(draft, in.why());
      case Input.VerdictDeferred in -> requests.deferred(draft, in.why());
      case Input.SessionClaimed in -> claimed(draft, in);
      case Input.SessionObserved in -> observed(draft, in);
      case Input.ResultGiven in -> result(draft, in);
      case Input.LeaseEnded in -> end.ended(draft, in);
      case Input.CommandGiven in -> orders.given(draft, in.command());
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
  public static List<TriageEffect> repeated(
      ItemKey key, InputPosition origin, Repeat seen, Instant now) {
    if (!Intake.keeps(seen.phase(), seen.closed())) {
      return List.of();
    }
    var draft = new Draft(key, Item.UNKNOWN, origin, now, Questions.NONE);
    Intake.repeated(draft, seen.revision(), seen.title());
    return draft.decision().effects();
  }

  private static void claimed(Draft draft, Input.SessionClaimed in) {
    if (draft.memory.isEnded(in.session().token())) {
      return;
    }
    draft.memory = draft.memory.claimed(in.session(), in.at());
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
              in.runner(),
              false));
    }
  }

  private static void observed(Draft draft, Input.SessionObserved in) {
    if (!draft.memory.isEnded(in.session().token())) {
      draft.memory = draft.memory.observed(in.session(), in.spawned(), in.at(), in.data());
    }
  }

  /** Keeps a result until its session's end. A result that comes later is only reported. */
  private static void result(Draft draft, Input.ResultGiven in) {
    if (draft.memory.isEnded(in.session().token())) {
      draft.emit(
          in.session().session() + "-late",
          EventType.SESSION_LATE_RESULT,
          in.data().with(Field.REASON, "it came after its session's terminal event"));
    } else {
      draft.memory = draft.memory.answered(in.session(), in.data());
    }
  }

  private void due(Draft draft) {
    ItemState state = draft.state();
    if (state == null || state.phase().dueAt().filter(at -> !at.isAfter(draft.now)).isEmpty()) {
      return;
    }
    if (state.phase() instanceof ItemPhase.Failed failed) {
      requests.publish(draft, failed.verdict(), failed.attempts().next());
    } else if (state.phase() instanceof ItemPhase.Triaging triaging) {
      requests.overdue(draft, triaging);
    }
  }

  private void askAgain(Draft draft, String why) {
    ItemState state = draft.state();
    if (state != null && state.phase() instanceof ItemPhase.Triaging triaging) {
      requests.askAgain(draft, triaging, why);
    }
  }
}
