package dev.flyball.triage.item;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One decision while it is made. It lives within {@link ItemMachine#decide}, and no other code sees
 * it.
 */
final class Draft {
  static final String SOURCE = "/triage";

  final ItemKey key;
  final InputPosition origin;
  final Instant now;
  final Questions questions;
  KeptAfterForget sessions;
  private final Item before;
  private @Nullable ItemState state;
  private @Nullable AgentSession agentSession;
  private @Nullable Handover handover;
  private Position position;
  private final List<TriageEffect> effects = new ArrayList<>();

  /** What the item has cost so far. */
  private record Spent(long micros, long tokens) {
    static final Spent NOTHING = new Spent(0, 0);

    static Spent of(ItemState state) {
      return new Spent(state.spentMicros(), state.spentTokens());
    }
  }

  Draft(ItemKey key, Item before, InputPosition origin, Instant now, Questions questions) {
    this.key = key;
    this.before = before;
    this.origin = origin;
    this.now = now;
    this.questions = questions;
    this.state = before.state();
    this.agentSession = state == null ? null : state.agentSession();
    this.handover = state == null ? null : state.handover();
    this.position = new Position(origin.partition(), origin.offset());
    this.sessions = before.sessions();
  }

  @Nullable ItemState state() {
    return state;
  }

  /** The state of an item that is known to have one. */
  ItemState known() {
    return Objects.requireNonNull(state, "item has no state");
  }

  /** The position in work-items of the current snapshot. */
  Position position() {
    return position;
  }

  /**
   * Sets the position of a current snapshot that is not the input's own record but an earlier one.
   */
  void stoodAt(Position there) {
    position = there;
  }

  void to(ItemPhase phase) {
    ItemState s = known();
    become(s.snapshot(), s.at(), s.pending(), phase, s.verdict(), s.sessions(), Spent.of(s));
  }

  void snapshot(Snapshot snapshot, Position at, ItemPhase phase) {
    ItemState s = state;
    if (s == null) {
      become(snapshot, at, null, phase, null, List.of(), Spent.NOTHING);
    } else {
      become(snapshot, at, null, phase, s.verdict(), s.sessions(), Spent.of(s));
    }
  }

  void refresh(Snapshot snapshot, Position at) {
    ItemState s = known();
    become(snapshot, at, s.pending(), s.phase(), s.verdict(), s.sessions(), Spent.of(s));
  }

  void pending(ItemState.@Nullable Pending pending) {
    ItemState s = known();
    become(s.snapshot(), s.at(), pending, s.phase(), s.verdict(), s.sessions(), Spent.of(s));
  }

  void verdict(@Nullable Verdict verdict) {
    ItemState s = known();
    become(s.snapshot(), s.at(), s.pending(), s.phase(), verdict, s.sessions(), Spent.of(s));
  }

  void spent(long micros, long tokens) {
    if (micros != 0 || tokens != 0) {
      ItemState s = known();
      var sum = new Spent(s.spentMicros() + micros, s.spentTokens() + tokens);
      become(s.snapshot(), s.at(), s.pending(), s.phase(), s.verdict(), s.sessions(), sum);
    }
  }

  /**
   * Adds an ended session.
   *
   * @param most how many are kept
   */
  void note(ItemState.SessionNote note, int most) {
    ItemState s = known();
    var notes = new ArrayList<ItemState.SessionNote>();
    notes.add(note);
    notes.addAll(s.sessions());
    List<ItemState.SessionNote> kept = notes.subList(0, Math.min(notes.size(), most));
    become(s.snapshot(), s.at(), s.pending(), s.phase(), s.verdict(), kept, Spent.of(s));
  }

  /** Sets what the agent's session and the next fresh one are. */
  void remember(@Nullable AgentSession agentSession, Handover handover) {
    this.agentSession = agentSession;
    this.handover = handover.equals(Handover.NONE) ? null : handover;
    to(known().phase());
  }

  /** Removes the item's state. */
  void forget() {
    state = null;
    agentSession = null;
    handover = null;
  }

  private void become(
      Snapshot snapshot,
      Position at,
      ItemState.@Nullable Pending pending,
      ItemPhase phase,
      @Nullable Verdict verdict,
      List<ItemState.SessionNote> notes,
      Spent spent) {
    state =
        new ItemState(
            ItemState.SCHEMA,
            snapshot,
            at,
            pending,
            phase,
            verdict,
            notes,
            spent.micros,
            spent.tokens,
            now,
            agentSession,
            handover);
  }

  void add(TriageEffect effect) {
    effects.add(effect);
  }

  /** Emits an event about the item, with an id derived from the input. */
  void emit(EventType type, EventData data) {
    long events = effects.stream().filter(TriageEffect.Emit.class::isInstance).count();
    emit(origin.id(key) + "." + events, type, data);
  }

  void emit(String id, EventType type, EventData data) {
    EventData full = data.with(Field.ITEM, key.toString(), Field.TENANT, key.tenant());
    effects.add(
        new TriageEffect.Emit(new LifecycleEvent(id, type, SOURCE, key.toString(), now, full)));
  }

  /** Emits an event about one snapshot. */
  void emit(EventType type, Snapshot snapshot, @Nullable String reason) {
    emit(type, about(snapshot).with(Field.REASON, reason));
  }

  static EventData about(Snapshot snapshot) {
    return about(snapshot.revision(), snapshot.title());
  }

  static EventData about(String revision, String title) {
    return EventData.EMPTY.with(Field.REVISION, revision, Field.TITLE, title);
  }

  ItemMachine.Decision decision() {
    Item after = new Item(state, sessions);
    return new ItemMachine.Decision(after.equals(before) ? before : after, effects);
  }
}
