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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One decision while it is made, within {@link ItemMachine#decide}; no other code sees it. */
final class Draft {
  private static final String SOURCE = "/triage";

  final MachineSettings settings;
  final ItemKey key;
  final InputPosition origin;
  final Instant now;
  final Questions questions;
  Memory memory;
  private final Item before;
  private final List<TriageEffect> effects = new ArrayList<>();
  private Position position;
  private @Nullable ItemState state;

  // What of the state stays when its snapshot or phase changes.
  private @Nullable Verdict verdict;
  private List<ItemState.SessionNote> notes = List.of();
  private long spentMicros;
  private long spentTokens;
  private @Nullable AgentSession agentSession;
  private @Nullable Handover handover;

  Draft(
      MachineSettings settings,
      ItemKey key,
      Item before,
      InputPosition origin,
      Instant now,
      Questions questions) {
    this.settings = settings;
    this.key = key;
    this.before = before;
    this.origin = origin;
    this.now = now;
    this.questions = questions;
    this.position = new Position(origin.partition(), origin.offset());
    this.memory = before.memory();
    this.state = before.state();
    if (state != null) {
      verdict = state.verdict();
      notes = state.sessions();
      spentMicros = state.spentMicros();
      spentTokens = state.spentTokens();
      agentSession = state.agentSession();
      handover = state.handover();
    }
  }

  @Nullable ItemState state() {
    return state;
  }

  ItemState known() {
    return Objects.requireNonNull(state, "item has no state");
  }

  /** The position in work-items of the current snapshot. */
  Position position() {
    return position;
  }

  /** Sets the place of a current snapshot that is an earlier record than the input's. */
  void stoodAt(Position there) {
    position = there;
  }

  void to(ItemPhase phase) {
    ItemState s = known();
    become(s.snapshot(), s.at(), s.pending(), phase);
  }

  void snapshot(Snapshot snapshot, Position at, ItemPhase phase) {
    become(snapshot, at, null, phase);
  }

  void refresh(Snapshot snapshot, Position at) {
    become(snapshot, at, known().pending(), known().phase());
  }

  void pending(ItemState.@Nullable Pending pending) {
    ItemState s = known();
    become(s.snapshot(), s.at(), pending, s.phase());
  }

  void verdict(@Nullable Verdict given) {
    verdict = given;
    to(known().phase());
  }

  void spent(long micros, long tokens) {
    if (micros != 0 || tokens != 0) {
      spentMicros += micros;
      spentTokens += tokens;
      to(known().phase());
    }
  }

  /**
   * Adds an ended session.
   *
   * @param most how many are kept
   */
  void note(ItemState.SessionNote note, int most) {
    notes = Stream.concat(Stream.of(note), notes.stream()).limit(most).toList();
    to(known().phase());
  }

  /** Sets what the agent's session and the next fresh one are. */
  void remember(@Nullable AgentSession known, Handover next) {
    agentSession = known;
    handover = next.equals(Handover.NONE) ? null : next;
    to(known().phase());
  }

  /** Removes the item's state. */
  void forget() {
    state = null;
    verdict = null;
    notes = List.of();
    spentMicros = 0;
    spentTokens = 0;
    agentSession = null;
    handover = null;
  }

  private void become(
      Snapshot snapshot, Position at, ItemState.@Nullable Pending pending, ItemPhase phase) {
    state =
        new ItemState(
            ItemState.SCHEMA,
            snapshot,
            at,
            pending,
            phase,
            verdict,
            notes,
            spentMicros,
            spentTokens,
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
    Item after = new Item(state, memory);
    return new ItemMachine.Decision(after.equals(before) ? before : after, effects);
  }
}
