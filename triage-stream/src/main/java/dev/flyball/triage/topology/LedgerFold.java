package dev.flyball.triage.topology;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.CheckpointParts;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LedgerState.Folded;
import dev.flyball.contract.ledger.Token;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The state of the ledger, kept in a store as the parts of a checkpoint and the entries since. So
 * an entry costs its own few bytes, and a checkpoint, after as many entries as it has facts, no
 * more for each. No record grows with the state: the broker would some day reject one of
 * everything, and with it every transaction of this app. Used by one stream thread.
 */
final class LedgerFold {
  private static final String SAVED = "saved";
  private static final String PARTS = "state/";

  private static final int ENTRIES_PER_SAVE = 256;

  private final KeyValueStore<String, byte[]> store;
  private final String ledger;
  private final String topicId;

  private final List<String> tail = new ArrayList<>();

  private LedgerState state;

  /**
   * Goes on from what is stored; empty if the ledger is new.
   *
   * @param ledger the name of its topic
   * @throws LedgerFault if the store has the state of a ledger with another topic id
   */
  LedgerFold(KeyValueStore<String, byte[]> store, String ledger, String topicId) {
    this.store = store;
    this.ledger = ledger;
    this.topicId = topicId;
    this.state = restore();
  }

  /**
   * The ledger cannot be folded on, in any thread: only an operator or newer code can help. The
   * stream stops at its present position.
   */
  static final class LedgerFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LedgerFault(String line) {
      super(line);
    }
  }

  record Saved(String topicId, String digest) {}

  /** One entry as the store keeps it. */
  record Tail(long offset, Instant appendTime, LedgerEntry entry) {}

  Effect fold(LedgerEntry entry, long offset, Instant appendTime) {
    begun(offset);
    Folded folded = state.fold(entry, offset, appendTime);
    state = folded.state();
    if (!(entry instanceof LedgerEntry.Checkpoint)) {
      remember(new Tail(offset, appendTime, entry));
    }
    return folded.effect();
  }

  /** The ledger's state after the last entry. */
  LedgerState state() {
    return state;
  }

  /** The fencing token of a lease of this ledger. */
  Token token(Lease lease) {
    return new Token(topicId, lease.claimedAt());
  }

  /** Skips a record that is no entry. */
  void skip(long offset) {
    begun(offset);
    state = state.skip(offset);
  }

  /**
   * A fold from the middle would miss every open lease. The start was cut off before this app read
   * it, or this app's state of it was lost.
   */
  private void begun(long offset) {
    if (state.offset() < 0 && offset > 0) {
      throw new LedgerFault(
          ledger
              + " begins at offset "
              + offset
              + " and triage has no state of what was before; restore triage's changelog topics, or"
              + " delete all topics of this prefix and start again");
    }
  }

  private void remember(Tail entry) {
    byte[] bytes = RecordJson.bytes(entry);
    boolean fits = bytes.length <= RecordSink.MOST;
    if (fits) {
      String key = key(entry.offset());
      store.put(key, bytes);
      tail.add(key);
    }
    if (!fits || tail.size() >= Math.max(ENTRIES_PER_SAVE, state.live() + state.unsettled())) {
      save();
    }
  }

  private void save() {
    var parts = new CheckpointParts(state, topicId);
    long number = 0;
    for (; parts.hasNext(); number++) {
      store.put(PARTS + key(number), RecordJson.bytes(parts.next().state().state()));
    }
    for (String key = PARTS + key(number); store.get(key) != null; key = PARTS + key(++number)) {
      store.delete(key);
    }
    saved();
    tail.forEach(store::delete);
    tail.clear();
  }

  private void saved() {
    store.put(SAVED, RecordJson.bytes(new Saved(topicId, state.digest())));
  }

  private LedgerState restore() {
    LedgerState restored = LedgerState.empty();
    byte[] bytes = store.get(SAVED);
    if (bytes == null) {
      // Saved from the start, so that a recreated ledger is noticed however few entries were read.
      state = restored;
      saved();
    } else {
      Saved known = RecordJson.read(bytes, Saved.class);
      if (!known.topicId().equals(topicId)) {
        throw new LedgerFault(
            ledger
                + " was recreated (topic id "
                + topicId
                + ", known "
                + known.topicId()
                + "); restore it, or delete all topics of this prefix and start again");
      }
      if (store.get(PARTS + key(0)) != null) {
        var text = new StringBuilder();
        all(PARTS, (key, part) -> text.append(RecordJson.read(part, String.class)));
        restored = LedgerState.restore(new LedgerSnapshot(known.digest(), text.toString()));
      }
    }
    var entries = new ArrayList<Tail>();
    all(
        "",
        (key, entry) -> {
          entries.add(RecordJson.read(entry, Tail.class));
          tail.add(key);
        });
    for (Tail read : entries) {
      restored = restored.fold(read.entry(), read.offset(), read.appendTime()).state();
    }
    return restored;
  }

  private void all(String prefix, BiConsumer<String, byte[]> taken) {
    try (KeyValueIterator<String, byte[]> each =
        store.range(prefix + key(0), prefix + key(Long.MAX_VALUE))) {
      while (each.hasNext()) {
        KeyValue<String, byte[]> next = each.next();
        taken.accept(next.key, next.value);
      }
    }
  }

  private String key(long offset) {
    return String.format(Locale.ROOT, "e%019d", offset);
  }
}
