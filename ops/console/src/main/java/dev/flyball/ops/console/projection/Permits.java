package dev.flyball.ops.console.projection;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the sessions that started, as events report them, with the claims that took effect in
 * the ledger. The fold itself never shows more sessions than the cap; an agent that runs without an
 * effective claim is how the cap would be broken. Pure; used by one thread.
 */
final class Permits {
  /** Most claims and starts that are kept; older ones are not judged. */
  static final int KEPT = 10_000;

  private final Deque<Started> waiting = new ArrayDeque<>();
  private final Map<Long, String> claimed = new LinkedHashMap<>();

  /** Claims up to this offset are not known. */
  private long unknownTo;

  /**
   * A session that was started.
   *
   * @param claim offset of the claim that its runner names
   */
  record Started(String session, long claim, Instant at) {}

  /** Begins with the claims after this offset. */
  Permits(long unknownTo) {
    this.unknownTo = unknownTo;
  }

  /** Records a claim that took effect. */
  void claimed(long offset, String session) {
    claimed.put(offset, session);
    if (claimed.size() > KEPT) {
      long oldest = claimed.keySet().iterator().next();
      claimed.remove(oldest);
      unknownTo = oldest;
    }
  }

  /** Records a start; it is judged once the ledger was read past its claim. */
  void started(Started start) {
    waiting.add(start);
    if (waiting.size() > KEPT) {
      waiting.remove();
    }
  }

  /** The starts without an effective claim, each returned once, of those up to this offset. */
  List<Started> without(long foldedTo) {
    var found = new ArrayList<Started>();
    waiting.removeIf(start -> {
      boolean read = start.claim() <= foldedTo;
      if (read
          && start.claim() > unknownTo
          && !start.session().equals(claimed.get(start.claim()))) {
        found.add(start);
      }
      return read;
    });
    return found;
  }
}
