package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint of a state, in entries that every topic accepts, made one by one: a state of 100,000
 * unsettled requests has 20 MB. Used by one thread.
 */
public final class CheckpointParts implements Iterator<LedgerEntry.Checkpoint> {
  /**
   * Most characters of rows in one part. A part that the broker writes slowly holds up the renewals
   * behind it. Even if each character took four bytes, a part would stay below a topic's limit.
   */
  static final int MOST = 200_000;

  private final LedgerState state;
  private final String set;
  private final Iterator<LedgerRows.Row> rows;
  private LedgerRows.@Nullable Row next;
  private int number;

  /**
   * Creates a checkpoint of this state.
   *
   * @param set an id that no other checkpoint has, because two runners may write at the same time
   */
  public CheckpointParts(LedgerState state, String set) {
    this.state = state;
    this.set = set;
    this.rows = LedgerRows.of(state).iterator();
    this.next = rows.next();
  }

  @Override
  public boolean hasNext() {
    return next != null;
  }

  @Override
  public LedgerEntry.Checkpoint next() {
    if (next == null) {
      throw new NoSuchElementException("the last part was taken");
    }
    ObjectNode piece = JsonNodeFactory.instance.objectNode();
    int size = 0;
    do {
      LedgerAssembly.SavedState.merge(piece, next);
      size += length(next);
      next = rows.hasNext() ? rows.next() : null;
    } while (next != null && size + length(next) <= MOST);
    number++;
    return new LedgerEntry.Checkpoint(
        state.offset(),
        state.rules(),
        new CheckpointPart(set, number, next == null),
        new LedgerSnapshot(state.digest(), piece));
  }

  private static int length(LedgerRows.Row row) {
    return row.json() == null ? 0 : row.json().length();
  }
}
