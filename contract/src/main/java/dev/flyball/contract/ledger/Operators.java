package dev.flyball.contract.ledger;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of init and the operators, by scope. Each scope keeps the offset of its last
 * effective entry. An entry that has not seen that offset has no effect, so a late or repeated
 * command undoes nothing.
 */
record Operators(
    Map<String, Integer> caps,
    Map<String, LedgerEntry.Pause> pauses,
    Map<String, Limits> limits,
    Map<String, Long> last) {

  static final Operators NONE = new Operators(Map.of(), Map.of(), Map.of(), Map.of());

  /** The cap of a scope; null if it has none, or an operator removed it. */
  @Nullable Integer cap(String scope) {
    Integer cap = caps.get(scope);
    return cap != null && removed(scope, cap) ? null : cap;
  }

  /** Every scope with a cap, in order. */
  List<String> capped() {
    return caps.keySet().stream().filter(scope -> cap(scope) != null).sorted().toList();
  }

  private static boolean removed(String scope, int cap) {
    return cap == ClaimRule.NO_CAP && !scope.equals(Scope.GLOBAL);
  }

  Limits limits(String scope) {
    return limits.getOrDefault(scope, Limits.NONE);
  }

  /** A scope's pause, if it is in force at this append time. */
  LedgerEntry.@Nullable Pause pause(String scope, Instant now) {
    LedgerEntry.Pause pause = pauses.get(scope);
    return pause != null && inForce(pause, now) ? pause : null;
  }

  List<LedgerEntry.Pause> pauses(Instant now) {
    Collection<LedgerEntry.Pause> all = pauses.values();
    return all.stream().filter(pause -> inForce(pause, now)).toList();
  }

  long last(String scope) {
    return last.getOrDefault(scope, -1L);
  }

  /**
   * Sets the cap and limits that no operator has set before. A pause sets no cap: while one was
   * taken for an operator's cap, the cap stayed 0 for ever.
   */
  Operators seeded(LedgerEntry.Init init, long offset) {
    Operators seeded = this;
    if (!caps.containsKey(Scope.GLOBAL)) {
      seeded =
          new Operators(put(caps, Scope.GLOBAL, init.cap()), pauses, limits, last)
              .seeded(Scope.GLOBAL, offset);
    }
    for (LedgerEntry.ScopedLimits each : init.budgets()) {
      if (!limits.containsKey(each.scope())) {
        seeded =
            new Operators(
                    seeded.caps,
                    pauses,
                    put(seeded.limits, each.scope(), each.limits()),
                    seeded.last)
                .seeded(each.scope(), offset);
      }
    }
    return seeded;
  }

  /**
   * Keeps the offset of an operator's entry. A seed changes nothing that the operator has set, so
   * what the operator saw stays valid.
   */
  private Operators seeded(String scope, long offset) {
    return last(scope) < 0 ? touched(scope, offset) : this;
  }

  Operators capped(LedgerEntry.Cap cap, long offset) {
    return new Operators(put(caps, cap.scope(), cap.limit()), pauses, limits, last)
        .touched(cap.scope(), offset);
  }

  Operators paused(LedgerEntry.Pause pause, long offset) {
    return new Operators(caps, put(pauses, pause.scope(), pause), limits, last)
        .touched(pause.scope(), offset);
  }

  Operators resumed(String scope, long offset) {
    var left = new HashMap<>(pauses);
    left.remove(scope);
    return new Operators(caps, Map.copyOf(left), limits, last).touched(scope, offset);
  }

  Operators limited(String scope, Limits to, long offset) {
    return new Operators(caps, pauses, put(limits, scope, to), last).touched(scope, offset);
  }

  private Operators touched(String scope, long offset) {
    return new Operators(caps, pauses, limits, put(last, scope, offset));
  }

  private static boolean inForce(LedgerEntry.Pause pause, Instant now) {
    Instant until = pause.until();
    return until == null || now.isBefore(until);
  }

  private static <V> Map<String, V> put(Map<String, V> map, String key, V value) {
    var changed = new HashMap<>(map);
    changed.put(key, value);
    return Map.copyOf(changed);
  }
}
