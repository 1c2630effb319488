package dev.flyball.triage.topology;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.triage.item.Item;
import dev.flyball.triage.item.ItemMachine.Repeat;
import dev.flyball.triage.item.Memory;
import dev.flyball.triage.item.Questions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The items of one partition, the index of their due times, which follows from their phases, and
 * how far the questions about them have come. One stream thread.
 */
final class ItemStores {
  private static final Logger LOG = LoggerFactory.getLogger(ItemStores.class);

  /**
   * How long the sessions of an item without a state are kept: a day longer than any record about
   * them, which {@code session-events} and {@code commands} keep for 30 days.
   */
  static final Duration KEPT_AFTER_FORGET = Duration.ofDays(31);

  /** Where the due index keeps how far the questions have come; no due time's key begins so. */
  private static final String QUESTIONS = "questions";

  private final KeyValueStore<String, byte[]> states;
  private final KeyValueStore<String, byte[]> sessions;
  private final KeyValueStore<String, byte[]> due;
  private final String changelogs;
  private final int partition;
  private final RecordSink sink;
  private Questions questions;

  /**
   * @param sink takes the dead letters of unreadable values
   */
  ItemStores(ProcessorContext<byte[], byte[]> context, RecordSink sink) {
    this.sink = sink;
    this.changelogs = context.applicationId() + "-%s-changelog";
    this.partition = context.taskId().partition();
    this.states = context.getStateStore(TriageTopology.ITEM_STATE);
    this.sessions = context.getStateStore(TriageTopology.ITEM_SESSIONS);
    this.due = context.getStateStore(TriageTopology.DUE_INDEX);
    byte[] known = due.get(QUESTIONS);
    this.questions = known == null ? Questions.NONE : RecordJson.read(known, Questions.class);
  }

  /** A due time and its item. */
  record Due(Instant at, ItemKey key) {
    String indexKey() {
      return String.format(Locale.ROOT, "%019d %s", at.toEpochMilli(), key);
    }

    static Due parse(String text) {
      return new Due(
          Instant.ofEpochMilli(Long.parseLong(text.substring(0, 19))),
          ItemKey.parse(text.substring(20)));
    }
  }

  /** How far the partition's questions have come. */
  Questions questions() {
    return questions;
  }

  Item item(ItemKey key) {
    ItemState state = read(states, ItemState.class, key);
    Memory seen = read(sessions, Memory.class, key);
    return new Item(state, seen == null ? Memory.NONE : seen);
  }

  /**
   * Whether a record of work-items holds exactly the newest known snapshot of its item; null if
   * not, or if only the whole item can tell.
   */
  @Nullable Repeat repeated(ItemKey key, byte[] snapshot) {
    byte[] state = states.get(key.toString());
    return state == null ? null : RepeatedSnapshot.of(state, snapshot);
  }

  /**
   * Reads a value; null if there is none. One that cannot be read becomes a dead letter, and its
   * item starts again, which costs one triage. Rejecting it would stop the stream at every start.
   */
  private <T> @Nullable T read(KeyValueStore<String, byte[]> store, Class<T> type, ItemKey key) {
    byte[] value = store.get(key.toString());
    if (value == null) {
      return null;
    }
    try {
      return RecordJson.read(value, type);
    } catch (UnreadableRecord e) {
      String reason = store.name() + " cannot be read, the item starts again: " + e.getMessage();
      LOG.error("{}: item={}", reason, key);
      String changelog = String.format(Locale.ROOT, changelogs, store.name());
      sink.deadLetter(
          key.toString().getBytes(StandardCharsets.UTF_8),
          DeadLetterPublisher.letter(
              reason, changelog, partition, DeadLetter.NO_OFFSET, value, "triage", sink.now()));
      sink.flush();
      store.delete(key.toString());
      return null;
    }
  }

  /**
   * A change of an item, serialized before any of it is stored.
   *
   * @param state null if it stays, or is forgotten
   * @param sessions null if they stay
   */
  record Change(Item before, Item after, byte @Nullable [] state, byte @Nullable [] sessions) {

    boolean forgotten() {
      return before.state() != null && after.state() == null;
    }

    /** Whether all that is left, or all that there is, are sessions and commands. */
    private boolean beginsWithoutState() {
      boolean first = sessions != null && before.memory().equals(Memory.NONE);
      return after.state() == null && (forgotten() || first) && !after.memory().equals(Memory.NONE);
    }

    /**
     * Serializes a change; rejects one that a changelog would not accept.
     *
     * @throws RecordSink.TooLarge with the size
     */
    static Change of(Item before, Item after) {
      ItemState next = after.state();
      boolean sameSessions = after.memory().equals(before.memory());
      byte[] state = next == null || next.equals(before.state()) ? null : RecordJson.bytes(next);
      byte[] sessions = sameSessions ? null : RecordJson.bytes(after.memory());
      RecordSink.check(TriageTopology.ITEM_STATE, null, state, List.of());
      RecordSink.check(TriageTopology.ITEM_SESSIONS, null, sessions, List.of());
      return new Change(before, after, state, sessions);
    }
  }

  void save(ItemKey key, Change change) {
    if (change.forgotten()) {
      states.delete(key.toString());
      index(key, dueOf(change.before().state()), Optional.empty());
    } else if (change.state() != null) {
      states.put(key.toString(), change.state());
      index(key, dueOf(change.before().state()), dueOf(change.after().state()));
    }
    Questions next = questions.after(change.before(), change.after());
    if (!next.equals(questions)) {
      questions = next;
      due.put(QUESTIONS, RecordJson.bytes(next));
    }
    if (change.sessions() != null) {
      sessions.put(key.toString(), change.sessions());
    }
    if (change.beginsWithoutState()) {
      index(key, Optional.empty(), Optional.of(sink.now().plus(KEPT_AFTER_FORGET)));
    }
  }

  /**
   * Deletes the sessions of an item that has no state since {@link #KEPT_AFTER_FORGET}; while one
   * of them is open, it waits as long again.
   *
   * @return whether the item has no state, so that nothing else is due
   */
  boolean cleaned(ItemKey key) {
    if (states.get(key.toString()) != null) {
      return false;
    }
    Memory left = item(key).memory();
    if (left.open().isEmpty()) {
      sessions.delete(key.toString());
    } else {
      index(key, Optional.empty(), Optional.of(sink.now().plus(KEPT_AFTER_FORGET)));
    }
    return true;
  }

  /** Returns at most {@code most} due entries, oldest first. */
  List<Due> due(Instant now, int most) {
    var found = new ArrayList<Due>();
    // ':' sorts after every digit and the blank, so this end includes all of now's millisecond.
    String end = String.format(Locale.ROOT, "%019d:", now.toEpochMilli());
    try (KeyValueIterator<String, byte[]> each = due.range("0", end)) {
      while (each.hasNext() && found.size() < most) {
        found.add(Due.parse(each.next().key));
      }
    }
    return found;
  }

  void drop(Due entry) {
    due.delete(entry.indexKey());
  }

  private void index(ItemKey key, Optional<Instant> old, Optional<Instant> next) {
    if (!old.equals(next)) {
      old.ifPresent(at -> drop(new Due(at, key)));
      next.ifPresent(at -> due.put(new Due(at, key).indexKey(), new byte[] {'1'}));
    }
  }

  private static Optional<Instant> dueOf(@Nullable ItemState state) {
    return state == null ? Optional.empty() : state.phase().dueAt();
  }
}
