package dev.flyball.contract.ledger;

import java.util.HexFormat;

/**
 * A sum over a set of facts, updated in constant time. Two folds that hold the same facts have the
 * same sum, whatever the order of the facts. It finds honest divergence between readers; it is no
 * defence against forgery.
 */
record Digest(long a, long b) {
  static final Digest NONE = new Digest(0, 0);
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

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
}
