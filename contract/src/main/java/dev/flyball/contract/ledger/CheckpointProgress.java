package dev.flyball.contract.ledger;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Follows the checkpoints of a log as their parts are read, in the log's order. Several may be
 * written at the same time, and any may stay unfinished. Used by one thread.
 */
public final class CheckpointProgress {
  /** Most checkpoints followed at the same time; runners wait while another one writes. */
  private static final int FOLLOWED = 16;

  /** How many parts of each set were read, without a gap from the first on. */
  private final Map<String, Integer> read = new LinkedHashMap<>();

  /** Creates one that has read nothing. */
  public CheckpointProgress() {}

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
