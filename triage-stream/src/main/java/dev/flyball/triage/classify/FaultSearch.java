package dev.flyball.triage.classify;

import dev.flyball.triage.classify.ModelCall.ModelFailure;

/**
 * Finds out whether the model or one question is at fault when calls fail, and how many questions
 * the next call has. A batch that fails is halved until one question fails alone; one that was too
 * slow is cut into more parts, because all others wait while such a call runs to its limit. Then a
 * question that harms no model, the probe, decides: if the model answers it, that one question is
 * at fault; if not, the model is down and no question is blamed.
 *
 * <p>A batch of 50 with one bad question takes at most 14 calls if the model rejects it, 17 if it
 * fails without saying whose fault it is, and 18, of which 3 are too slow, if it is too slow. Pure;
 * used by one thread.
 */
final class FaultSearch {
  /** Failures after which the model is probed, where a failure does not say whose fault it is. */
  static final int PATIENT = 2;

  /** Parts of a batch that failed, and of one that was too slow: 50 questions, then 7, then one. */
  private static final int PARTS = 2;

  private static final int PARTS_OF_SLOW = 7;

  /** Most answers that a batch of the same size needs before a larger one is tried. */
  private static final int MOST_NEEDED = 64;

  private final int items;

  /** Most questions of a batch now; lower after calls that were too slow or too large. */
  private int most;

  /** Offset of the last question of a failed batch, in which a fault is searched; or -1. */
  private long suspects = -1;

  /** Most questions of the next call while there are suspects. */
  private int next;

  /** Answered batches of that size since it changed, and how many a larger one needs. */
  private int answered;

  private int needed = 1;

  /** How often the model failed in a row without saying whose fault it is. */
  private int unclear;

  /** Offset of the question that failed alone, -1 if none did. */
  private long alone = -1;

  private boolean probing;

  /** Whether the model was seen to answer, so that a failed call is the fault of its batch. */
  private boolean proven;

  private boolean slow;

  /** What follows a failed call. */
  enum Then {
    /** The model is at fault: wait, and ask the same again. */
    WAIT,
    /** A question may be at fault: ask again after the shortest pause. */
    SOON,
    /** A question is at fault, or the batch is too large: ask again immediately. */
    GO_ON
  }

  /**
   * Creates a search.
   *
   * @param items most questions of a batch
   */
  FaultSearch(int items) {
    this.items = items;
    this.most = items;
  }

  /** Whether the next call is the probe. */
  boolean probes() {
    return probing;
  }

  /** Whether a fault is searched, so that a batch need not wait for further questions. */
  boolean searches() {
    return suspects >= 0 || probing;
  }

  /** Most questions of the next call, which begins with the question at this offset. */
  int most(long first) {
    if (first > suspects) {
      suspects = -1;
    }
    return suspects < 0 ? most : Math.min(next, most);
  }

  /** The highest offset of the next call, which ends with the suspects. */
  long last() {
    return suspects < 0 ? Long.MAX_VALUE : suspects;
  }

  /** The model answered a batch of so many questions, up to this offset. */
  void answered(int questions, long last) {
    unclear = 0;
    if (suspects < 0) {
      if (questions >= most && ++answered >= needed) {
        size(2 * most);
      }
    } else if (last >= suspects) {
      // Each part was answered, so the whole was too large. Larger ones are tried less and less.
      suspects = -1;
      needed = Math.min(MOST_NEEDED, 4 * needed);
      size(slow ? next : questions);
    } else if (!slow) {
      next = items;
    }
    proven = suspects >= 0;
  }

  private void size(int questions) {
    most = Math.clamp(questions, 1, items);
    answered = 0;
  }

  /**
   * A batch failed.
   *
   * @param questions how many it had
   * @param last the offset of its last question
   */
  Then failed(ModelFailure.Kind kind, int questions, long last) {
    return switch (kind) {
      case UNAVAILABLE, REFUSED, NO_BUDGET -> Then.WAIT;
      case BAD_BATCH, SLOW -> {
        slow = kind == ModelFailure.Kind.SLOW;
        suspect(questions, last);
        yield Then.GO_ON;
      }
      case UNCLEAR -> {
        if (proven) {
          slow = false;
          suspect(questions, last);
          yield Then.SOON;
        }
        unclear++;
        probing = unclear >= PATIENT;
        yield Then.WAIT;
      }
    };
  }

  private void suspect(int questions, long last) {
    suspects = last;
    next = Math.max(1, questions / (slow ? PARTS_OF_SLOW : PARTS));
    if (questions == 1) {
      alone = last;
      probing = true;
    }
  }

  /** The model answered the probe; returns whether the question that failed alone is at fault. */
  boolean probed() {
    probing = false;
    proven = true;
    unclear = 0;
    if (alone < 0) {
      return false;
    }
    alone = -1;
    suspects = -1;
    if (slow) {
      // Another slow question ends fewer calls in a small batch; each answer doubles it.
      size(2);
    }
    return true;
  }

  /** The model failed the probe too: it is down, and no question was at fault. */
  void probeFailed() {
    suspects = -1;
    alone = -1;
    probing = true;
    proven = false;
  }

  /** Begins again: another member of the group may have asked since. */
  void reassigned() {
    suspects = -1;
    alone = -1;
    probing = false;
    proven = false;
    unclear = 0;
  }
}
