package dev.flyball.contract.ledger;

import java.util.Map;

/** Defines what a state's digest covers, and how a fact is summed. */
final class Digests {
  static final String LEASE = "lease";
  static final String SPENT = "spent";
  static final String FLOOR = "floor";
  static final String OPERATOR = "operator";
  static final String RULES = "rules";

  private Digests() {}

  /** Computes the digest from scratch; a fold step updates it by difference. */
  static Digest of(LedgerState.Base base, LedgerParts parts) {
    Digest digest = base.rules() == 1 ? Digest.NONE : Digest.NONE.plus(RULES, "", base.rules());
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
}
