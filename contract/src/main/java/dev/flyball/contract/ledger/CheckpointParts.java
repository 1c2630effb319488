package dev.flyball.contract.ledger;

import com.fasterxml.jackson.databind.JsonNode;
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
   * Most characters of facts in one part. A part that the broker writes slowly holds up the
   * renewals behind it. Even if each character took four bytes, a part would stay below a topic's
   * limit.
   */
  static final int MOST = 200_000;

  private final LedgerState state;
  private final String set;
  private final Iterator<JsonNode> facts;
  private @Nullable JsonNode next;
  private int length;
  private int number;

  /**
   * Creates a checkpoint of this state.
   *
   * @param set an id that no other checkpoint has, because two runners may write at the same time
   */
  public CheckpointParts(LedgerState state, String set) {
    this.state = state;
    this.set = set;
    this.facts = SavedState.facts(state).iterator();
    advance();
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
      SavedState.merge(piece, next);
      size += length;
      advance();
    } while (next != null && size + length <= MOST);
    number++;
    return new LedgerEntry.Checkpoint(
        state.offset(),
        state.rules(),
        new CheckpointPart(set, number, next == null),
        new LedgerSnapshot(state.digest(), piece));
  }

  private void advance() {
    next = facts.hasNext() ? facts.next() : null;
    length = next == null ? 0 : next.toString().length();
  }
}
