package dev.flyball.triage.topology;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerAssembly;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerRows;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Token;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The state of the ledger, kept in a store as rows and the entries since the rows were written. So
 * an entry costs its own few bytes, and writing the rows costs what has changed. No row grows with
 * the state: the broker would some day reject one record of everything, and with it every
 * transaction of this app. Used by one stream thread.
 */
final class LedgerFold {
  private static final String SAVED = "saved";
  private static final String ROWS = "state/";

  /** Sorts right after every row's key. */
  private static final String ROWS_END = "state0";

  private static final int ENTRIES_PER_SAVE = 256;

  private final KeyValueStore<String, byte[]> store;
  private final String ledger;
  private final String topicId;

  private final List<String> tail = new ArrayList<>();

  /** The state that the rows hold. */
  private LedgerState saved = LedgerState.empty();

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

  /** The topic id of the rows' ledger, and the digest of their state. */
  record Saved(String topicId, String digest) {}

  /** One entry as the store keeps it. */
  record Tail(long offset, Instant appendTime, LedgerEntry entry) {}

  /** Folds one entry and stores it. */
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

  /** The topic that is folded. */
  String ledger() {
    return ledger;
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

  /** A fold from the middle would miss every open lease. */
  private void begun(long offset) {
    if (state.offset() < 0 && offset > 0) {
      throw LedgerFault.startMissing(ledger, offset);
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
    if (!fits || tail.size() >= ENTRIES_PER_SAVE) {
      save();
    }
  }

  private void save() {
    writeRows();
    tail.forEach(store::delete);
    tail.clear();
  }

  private void writeRows() {
    for (LedgerRows.Row row : LedgerRows.changes(saved, state)) {
      if (row.json() == null) {
        store.delete(ROWS + row.key());
      } else {
        store.put(ROWS + row.key(), row.json().getBytes(StandardCharsets.UTF_8));
      }
    }
    saved();
    saved = state;
  }

  private void saved() {
    store.put(SAVED, RecordJson.bytes(new Saved(topicId, state.digest())));
  }

  private LedgerState restore() {
    byte[] bytes = store.get(SAVED);
    if (bytes == null) {
      // Saved from the start, so that a recreated ledger is noticed however few entries were read.
      state = saved;
      saved();
    } else {
      Saved known = RecordJson.read(bytes, Saved.class);
      if (!known.topicId().equals(topicId)) {
        throw LedgerFault.recreated(ledger, known.topicId(), topicId);
      }
      saved = rows(known.digest());
    }
    LedgerState restored = saved;
    try (KeyValueIterator<String, byte[]> each = store.range(key(0), key(Long.MAX_VALUE))) {
      while (each.hasNext()) {
        KeyValue<String, byte[]> entry = each.next();
        Tail read = RecordJson.read(entry.value, Tail.class);
        restored = restored.fold(read.entry(), read.offset(), read.appendTime()).state();
        tail.add(entry.key);
      }
    }
    return restored;
  }

  private LedgerState rows(String digest) {
    byte[] head = store.get(ROWS + LedgerRows.HEAD);
    if (head == null) {
      return LedgerState.empty();
    }
    var assembly = new LedgerAssembly();
    assembly.add(head);
    try (KeyValueIterator<String, byte[]> rows = store.range(ROWS, ROWS_END)) {
      while (rows.hasNext()) {
        KeyValue<String, byte[]> row = rows.next();
        if (!row.key.equals(ROWS + LedgerRows.HEAD)) {
          assembly.add(row.value);
        }
      }
    }
    return assembly.state(digest);
  }

  private String key(long offset) {
    return String.format(Locale.ROOT, "e%019d", offset);
  }
}
