package dev.flyball.triage.stream;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Locale;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The ledger's state, kept in a store as one snapshot and the entries since, so that an entry costs
 * its own few bytes and not the whole state. Used by one stream thread.
 */
final class LedgerFold {
  private static final String SNAPSHOT = "snapshot";
  private static final int ENTRIES_PER_SNAPSHOT = 256;

  private final KeyValueStore<String, byte[]> store;
  private final String topicId;
  private LedgerState state;
  private int entries;

  LedgerFold(KeyValueStore<String, byte[]> store, String topicId) {
    this.store = store;
    this.topicId = topicId;
    this.state = restore();
  }

  /** What the store holds of the fold at the snapshot. */
  record Saved(String topicId, LedgerSnapshot state) {}

  /** What the store holds of one entry. */
  record Tail(long offset, Instant appendTime, LedgerEntry entry) {}

  /** Folds one entry and remembers it. */
  Effect fold(LedgerEntry entry, long offset, Instant appendTime) {
    if (state.offset() < 0 && entry instanceof LedgerEntry.Checkpoint checkpoint && offset > 0) {
      // The log was cut before this app ever read it: what stood before is in the checkpoint.
      state = LedgerState.restore(checkpoint.state());
    }
    Folded folded = state.fold(entry, offset, appendTime);
    state = folded.state();
    store.put(key(offset), RecordJson.bytes(new Tail(offset, appendTime, entry)));
    entries++;
    if (entries >= ENTRIES_PER_SNAPSHOT) {
      save();
    }
    return folded.effect();
  }

  /** What the ledger says after the last entry. */
  LedgerState state() {
    return state;
  }

  /** Passes a record that is no entry. */
  void skip(long offset) {
    state = state.skip(offset);
  }

  private void save() {
    store.put(SNAPSHOT, RecordJson.bytes(new Saved(topicId, state.snapshot())));
    var old = new ArrayList<String>();
    try (KeyValueIterator<String, byte[]> tail = store.range(key(0), key(Long.MAX_VALUE))) {
      tail.forEachRemaining(each -> old.add(each.key));
    }
    old.forEach(store::delete);
    entries = 0;
  }

  private LedgerState restore() {
    byte[] bytes = store.get(SNAPSHOT);
    LedgerState restored = LedgerState.empty();
    if (bytes != null) {
      Saved saved = RecordJson.read(bytes, Saved.class);
      if (!saved.topicId().equals(topicId)) {
        throw new RecreatedLedger(saved.topicId(), topicId);
      }
      restored = LedgerState.restore(saved.state());
    } else {
      // From the start, so that a recreated ledger is noticed however few entries were read.
      store.put(SNAPSHOT, RecordJson.bytes(new Saved(topicId, restored.snapshot())));
    }
    try (KeyValueIterator<String, byte[]> tail = store.range(key(0), key(Long.MAX_VALUE))) {
      while (tail.hasNext()) {
        KeyValue<String, byte[]> each = tail.next();
        Tail entry = RecordJson.read(each.value, Tail.class);
        restored = restored.fold(entry.entry(), entry.offset(), entry.appendTime()).state();
        entries++;
      }
    }
    return restored;
  }

  private static String key(long offset) {
    return String.format(Locale.ROOT, "e%019d", offset);
  }
}
