package dev.flyball.contract.ledger;

import org.jspecify.annotations.Nullable;

/**
 * The digests of the last changes, newest first. A checkpoint contains the digest after its {@code
 * at}, and by the time it is read, other entries lie between the two.
 *
 * @param length number of nodes from here on, this one included
 */
record DigestHistory(long offset, Digest digest, int length, @Nullable DigestHistory older) {
  /** At least this many changes are kept, at most twice as many. */
  static final int KEPT = 512;

  static final DigestHistory EMPTY = new DigestHistory(-1, Digest.NONE, 1, null);

  DigestHistory then(long at, Digest now) {
    DigestHistory rest = length < 2 * KEPT ? this : newest(KEPT);
    return new DigestHistory(at, now, rest.length + 1, rest);
  }

  /** The digest after everything up to and including {@code at}; null if that is no longer kept. */
  @Nullable Digest at(long at) {
    for (DigestHistory each = this; each != null; each = each.older) {
      if (each.offset <= at) {
        return each.digest;
      }
    }
    return null;
  }

  private DigestHistory newest(int count) {
    var kept = new DigestHistory[count];
    DigestHistory each = this;
    for (int i = 0; i < count && each != null; i++) {
      kept[i] = each;
      each = each.older;
    }
    DigestHistory rest = null;
    for (int i = count - 1; i >= 0; i--) {
      rest = new DigestHistory(kept[i].offset, kept[i].digest, count - i, rest);
    }
    return rest == null ? this : rest;
  }
}
