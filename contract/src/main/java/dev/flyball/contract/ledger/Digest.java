package dev.flyball.contract.ledger;

import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sum over a set of facts, updated in constant time. Two folds that hold the same facts have the
 * same sum, whatever the order of the facts. It finds honest divergence between readers; it is no
 * defence against forgery.
 */
record Digest(long a, long b) {
  static final Digest NONE = new Digest(0, 0);

  /** The kinds of facts that a state's digest covers. */
  static final String LEASE = "lease";

  static final String SPENT = "spent";
  static final String FLOOR = "floor";
  static final String OPERATOR = "operator";
  static final String RULES = "rules";

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  /** Computes a state's digest from scratch; a fold step updates it by difference. */
  static Digest of(LedgerState.Base base, LedgerState.Parts parts) {
    Digest digest = base.rules() == 1 ? NONE : NONE.plus(RULES, "", base.rules());
    for (Lease lease : parts.leases().all()) {
      digest = digest.plus(LEASE, lease.session(), lease.seen());
    }
    for (SpentRequest each : parts.requests().spent().values()) {
      digest = digest.plus(SPENT, each.request(), each.endedAt());
    }
    for (Map.Entry<Integer, Long> floor : parts.requests().floors().entrySet()) {
      digest = digest.plus(FLOOR, floor.getKey(), floor.getValue());
    }
    for (Map.Entry<String, Long> each : parts.operators().last().entrySet()) {
      digest = digest.plus(OPERATOR, each.getKey(), each.getValue());
    }
    return digest;
  }

  Digest plus(String kind, Object name, long value) {
    long hash = hash(kind, name, value);
    return new Digest(a + mix(hash), b + mix(~hash * FNV_PRIME));
  }

  Digest minus(String kind, Object name, long value) {
    long hash = hash(kind, name, value);
    return new Digest(a - mix(hash), b - mix(~hash * FNV_PRIME));
  }

  private static long hash(String kind, Object name, long value) {
    long hash = text(FNV_OFFSET, kind);
    hash = text(hash * FNV_PRIME, name.toString());
    return mix(hash ^ mix(value));
  }

  private static long text(long seed, String text) {
    long hash = seed;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return hash;
  }

  /** The finalizer of MurmurHash3: every input bit reaches every output bit. */
  private static long mix(long value) {
    long z = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
    z = (z ^ z >>> 33) * 0xc4ceb9fe1a85ec53L;
    return z ^ z >>> 33;
  }

  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(a) + HexFormat.of().toHexDigits(b);
  }

  /**
   * The digests of the last changes, newest first. A checkpoint contains the digest after its
   * {@code at}, and by the time it is read, other entries lie between the two.
   *
   * @param length number of nodes from here on, this one included
   */
  record History(long offset, Digest digest, int length, @Nullable History older) {
    /** At least this many changes are kept, at most twice as many. */
    static final int KEPT = 512;

    static final History EMPTY = new History(-1, Digest.NONE, 1, null);

    History then(long at, Digest now) {
      History rest = length < 2 * KEPT ? this : newest(KEPT);
      return new History(at, now, rest.length + 1, rest);
    }

    /** The digest after everything up to {@code at}, inclusive; null if no longer kept. */
    @Nullable Digest at(long at) {
      for (History each = this; each != null; each = each.older) {
        if (each.offset <= at) {
          return each.digest;
        }
      }
      return null;
    }

    private History newest(int count) {
      var kept = new History[count];
      History each = this;
      for (int i = 0; i < count && each != null; i++) {
        kept[i] = each;
        each = each.older;
      }
      History rest = null;
      for (int i = count - 1; i >= 0; i--) {
        rest = new History(kept[i].offset, kept[i].digest, count - i, rest);
      }
      return rest == null ? this : rest;
    }
  }
}
