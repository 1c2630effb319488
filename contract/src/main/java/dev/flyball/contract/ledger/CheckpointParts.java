package dev.flyball.contract.ledger;

import dev.flyball.contract.text.OneLine;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * A checkpoint of a state, in entries that every topic accepts: a state of 100,000 unsettled
 * requests has 20 MB. Used by one thread.
 */
public final class CheckpointParts implements Iterator<LedgerEntry.Checkpoint> {
  /**
   * Most characters of the state's text in one part. A part that the broker writes slowly holds up
   * the renewals behind it. Even if each character took four bytes, a part would stay below a
   * topic's limit.
   */
  static final int MOST = 200_000;

  private final LedgerState state;
  private final String set;
  private final LedgerSnapshot whole;
  private int taken;
  private int number;

  /**
   * Creates a checkpoint of this state.
   *
   * @param set an id that no other checkpoint has, because two runners may write at the same time
   */
  public CheckpointParts(LedgerState state, String set) {
    this.state = state;
    this.set = set;
    this.whole = state.snapshot();
  }

  @Override
  public boolean hasNext() {
    return taken < whole.state().length();
  }

  @Override
  public LedgerEntry.Checkpoint next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the last part was taken");
    }
    String text = whole.state();
    int end = Math.min(text.length(), taken + MOST + 1);
    String piece = OneLine.start(text.substring(taken, end), MOST);
    taken += piece.length();
    number++;
    return new LedgerEntry.Checkpoint(
        state.offset(),
        state.rules(),
        new CheckpointPart(set, number, !hasNext()),
        new LedgerSnapshot(whole.digest(), piece));
  }

  /**
   * Follows the checkpoints of a log as their parts are read, in the log's order. Several may be
   * written at the same time, and any may stay unfinished. Used by one thread.
   */
  public static final class Progress {
    /** Most checkpoints followed at the same time; runners wait while another one writes. */
    private static final int FOLLOWED = 16;

    /** How many parts of each set were read, without a gap from the first on. */
    private final Map<String, Integer> read = new LinkedHashMap<>();

    /** Creates one that has read nothing. */
    public Progress() {}

    /** Takes the log's next checkpoint entry; true if it makes a checkpoint complete. */
    public boolean completes(LedgerEntry.Checkpoint checkpoint) {
      CheckpointPart part = checkpoint.part();
      if (part == null) {
        return true;
      }
      int before = read.getOrDefault(part.set(), 0);
      if (part.number() != before + 1) {
        return false;
      }
      read.remove(part.set());
      if (part.last()) {
        return true;
      }
      read.put(part.set(), part.number());
      if (read.size() > FOLLOWED) {
        Iterator<String> oldest = read.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
      return false;
    }
  }
}
