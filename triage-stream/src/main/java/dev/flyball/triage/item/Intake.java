package dev.flyball.triage.item;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.state.ItemState.Pending;
import dev.flyball.contract.topic.Position;

/**
 * Decides what a snapshot does. Every snapshot is either a duplicate or changed, and each changed
 * one ends exactly once, whatever comes later.
 */
final class Intake {
  private static final String KNOWN = "its content is known";
  private static final String FOLLOWED = "a newer snapshot of the same poll follows";

  private Intake() {}

  static void seen(Draft draft, Snapshot seen) {
    ItemState state = draft.state();
    if (state == null) {
      draft.emit(EventType.ITEM_CHANGED, seen, null);
      if (seen.newest()) {
        take(draft, seen, draft.position());
      } else {
        draft.emit(EventType.ITEM_SUPERSEDED, seen, FOLLOWED);
      }
      return;
    }
    Pending pending = state.pending();
    Snapshot latest = pending == null ? state.snapshot() : pending.snapshot();
    Position at = pending == null ? state.at() : pending.at();
    if (seen.equals(latest) && keeps(state.phase(), seen.closed())) {
      repeated(draft, seen.revision(), seen.title());
    } else if (Sameness.older(seen, latest)
        || (!Sameness.older(latest, seen) && readBefore(draft, state, at))) {
      // Checked first. Where offsets were lost, records are read again. A snapshot that was
      // replaced since would appear changed, or would reopen an item that was closed since.
      draft.emit(EventType.ITEM_DUPLICATE, seen, "older than what is known");
    } else if (Sameness.same(latest, seen)) {
      known(draft, state, latest, seen);
    } else if (seen.newest()) {
      changed(draft, state, seen);
    } else if (Sameness.notNewer(latest, seen)) {
      draft.emit(EventType.ITEM_DUPLICATE, seen, "older than what is known");
    } else {
      draft.emit(EventType.ITEM_CHANGED, seen, null);
      draft.emit(EventType.ITEM_SUPERSEDED, seen, FOLLOWED);
    }
  }

  /**
   * Whether the newest known snapshot, seen again exactly as it is known, leaves an item of this
   * phase as it is. Then its state need not be written: its position would only tell that more
   * records with the same content were read, and those are duplicates whenever they are read again.
   */
  static boolean keeps(ItemPhase phase, boolean closed) {
    return !(phase instanceof ItemPhase.Closed) || closed;
  }

  /** Reports a snapshot that is exactly the newest known one. */
  static void repeated(Draft draft, String revision, String title) {
    draft.emit(EventType.ITEM_DUPLICATE, Draft.about(revision, title).with(Field.REASON, KNOWN));
  }

  /**
   * Whether this record, or a later one, was read before; used where the tracker gives no times. A
   * record written after the item's last step is new whatever its offset: then work-items was
   * created again and its offsets begin at 0.
   */
  private static boolean readBefore(Draft draft, ItemState state, Position at) {
    return draft.position().partition() == at.partition()
        && draft.position().offset() <= at.offset()
        && draft.origin.timestampMs() <= state.updatedAt().toEpochMilli();
  }

  /** Begins with a snapshot whose item has no unfinished session. */
  static void take(Draft draft, Snapshot snapshot, Position at) {
    draft.snapshot(snapshot, at, new ItemPhase.New());
    if (unwanted(snapshot)) {
      endUnwanted(draft, snapshot);
    } else {
      RequestRules.ask(draft, 1);
    }
  }

  /** Whether its tracker or the configuration of its source wants no session for it. */
  static boolean unwanted(Snapshot snapshot) {
    return snapshot.closed() || snapshot.exclusion() != null;
  }

  /** Ends an unwanted item: closed if its tracker says so, else skipped. */
  static void endUnwanted(Draft draft, Snapshot snapshot) {
    if (snapshot.closed() || snapshot.exclusion() == null) {
      close(draft, snapshot);
    } else {
      var skipped = new ItemPhase.Skipped(snapshot.exclusion());
      draft.to(skipped);
      draft.emit(EventType.ITEM_SKIPPED, snapshot, skipped.reason());
    }
  }

  /** Ends a snapshot that has other content than the newer one. */
  static void replaced(Draft draft, Snapshot old, Snapshot newer) {
    draft.emit(EventType.ITEM_SUPERSEDED, old, "replaced by revision " + newer.revision());
  }

  private static void close(Draft draft, Snapshot snapshot) {
    String reason = "closed or unassigned in the tracker, state " + snapshot.state();
    draft.to(new ItemPhase.Closed(reason));
    draft.emit(EventType.ITEM_CLOSED, snapshot, reason);
  }

  private static void known(Draft draft, ItemState state, Snapshot latest, Snapshot seen) {
    boolean adopted = !latest.fingerprint().version().equals(seen.fingerprint().version());
    if (!seen.newest()) {
      draft.emit(EventType.ITEM_DUPLICATE, seen, KNOWN);
    } else if (state.phase() instanceof ItemPhase.Closed && !seen.closed()) {
      // Not every fingerprint covers the state, yet a reopened item needs its session.
      draft.emit(EventType.ITEM_CHANGED, seen, "reopened");
      take(draft, seen, draft.position());
    } else if (state.phase().settled() && seen.closed() && !latest.closed()) {
      // Its content has reached its end; an operator must still see that it was closed.
      draft.emit(EventType.ITEM_CHANGED, seen, "closed");
      take(draft, seen, draft.position());
    } else if (state.phase() instanceof ItemPhase.Skipped skipped
        && skipped.exclusion() != null
        && latest.lacksRequest()
        && !unwanted(seen)) {
      // No fingerprint needs to cover the label, assignee or mention that asks for the item.
      draft.emit(EventType.ITEM_CHANGED, seen, "requested");
      take(draft, seen, draft.position());
    } else {
      draft.emit(
          EventType.ITEM_DUPLICATE,
          seen,
          adopted ? "only the fingerprint's version is new" : KNOWN);
      refresh(draft, state, seen);
      if ((seen.closed() && !latest.closed())
          || (requestWithdrawn(latest, seen) && !state.phase().settled())) {
        unwantedMeanwhile(draft, seen);
      }
    }
  }

  /**
   * Whether the label, assignee or mention that asked for the item is gone. An item that never had
   * it was requested by an operator, and goes on.
   */
  private static boolean requestWithdrawn(Snapshot latest, Snapshot seen) {
    return seen.lacksRequest() && !latest.lacksRequest();
  }

  /**
   * Keeps the newest revision of known content, and how far the item's records were read. The
   * snapshot of a waiting or running session keeps the revision that it was given.
   */
  private static void refresh(Draft draft, ItemState state, Snapshot seen) {
    Pending pending = state.pending();
    if (pending != null) {
      draft.pending(new Pending(seen, draft.position()));
    } else if (state.phase() instanceof ItemPhase.Requested) {
      draft.refresh(withFingerprint(state.snapshot(), seen.fingerprint()), draft.position());
    } else {
      draft.refresh(seen, draft.position());
    }
  }

  private static void unwantedMeanwhile(Draft draft, Snapshot seen) {
    RequestRules.withdraw(draft);
    if (draft.known().phase() instanceof ItemPhase.Running) {
      draft.pending(new Pending(seen, draft.position()));
    } else {
      draft.refresh(seen, draft.position());
      endUnwanted(draft, seen);
    }
  }

  private static void changed(Draft draft, ItemState state, Snapshot seen) {
    if (state.phase() instanceof ItemPhase.Running running) {
      whileRunning(draft, state, running, seen);
      return;
    }
    draft.emit(EventType.ITEM_CHANGED, seen, null);
    if (!state.phase().settled()) {
      replaced(draft, state.snapshot(), seen);
      RequestRules.withdraw(draft);
    }
    take(draft, seen, draft.position());
  }

  private static void whileRunning(
      Draft draft, ItemState state, ItemPhase.Running running, Snapshot seen) {
    Pending waiting = state.pending();
    if (waiting != null && !Sameness.same(state.snapshot(), waiting.snapshot())) {
      replaced(draft, waiting.snapshot(), seen);
    }
    boolean back = Sameness.same(state.snapshot(), seen);
    if (back
        && !running.withdrawn()
        && !seen.closed()
        && !requestWithdrawn(state.snapshot(), seen)) {
      draft.emit(EventType.ITEM_DUPLICATE, seen, "the running session reads this content");
      draft.pending(null);
      draft.refresh(state.snapshot(), draft.position());
      return;
    }
    draft.emit(back ? EventType.ITEM_DUPLICATE : EventType.ITEM_CHANGED, seen, null);
    draft.pending(new Pending(seen, draft.position()));
    if (seen.closed()
        || requestWithdrawn(state.snapshot(), seen)
        || draft.settings.onNewer() == MachineSettings.OnNewer.CANCEL) {
      RequestRules.withdraw(draft);
    }
  }

  private static Snapshot withFingerprint(Snapshot s, Fingerprint fingerprint) {
    return new Snapshot(
        s.revision(),
        s.title(),
        s.text(),
        s.state(),
        s.closed(),
        s.type(),
        s.priority(),
        s.tags(),
        s.url(),
        s.changedAt(),
        s.changedBy(),
        s.newest(),
        fingerprint,
        s.exclusion(),
        s.polledBy());
  }
}
