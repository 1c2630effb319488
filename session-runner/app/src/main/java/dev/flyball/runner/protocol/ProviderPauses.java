package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.session.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Pauses the scope of a provider that rejected a session of this runner. A send may be lost, so
 * each pause is repeated until the fold shows it. A pause with an end is repeated until any newer
 * entry of its scope is seen (an operator's entry that came first wins). The pause of an exhausted
 * account is repeated until an open-ended pause is seen, because only an operator may then resume
 * the provider.
 *
 * <p>A provider that rejects sessions repeatedly, over all runners, is paused twice as long each
 * time, up to an hour, until one of its sessions completes. Otherwise a session would start into
 * the same limit each minute, without end.
 */
final class ProviderPauses {
  private static final Duration SHORTEST = Duration.ofMinutes(1);

  /** With this many times the shortest pause, an hour, it grows no further. */
  private static final int MOST_GROWN = 60;

  /** Above every weekly limit; a time in another unit would pause the provider for centuries. */
  private static final Duration LONGEST = Duration.ofDays(8);

  private final LeaseNanos nanos;
  private final Map<String, Asked> asked = new TreeMap<>();
  // By scope: timed pauses that took effect since a session of the provider completed.
  private final Map<String, Integer> refusals = new HashMap<>();

  ProviderPauses(LeaseNanos nanos) {
    this.nanos = nanos;
  }

  /**
   * A provider's rejection.
   *
   * @param until when it says that it answers again, which may be any time; null if its account is
   *     exhausted
   */
  record Refusal(@Nullable Instant until, String why) {}

  private record Asked(Refusal refusal, long seen, long nextSend) {}

  void ask(LedgerState ledger, String provider, Refusal refusal, Instant ledgerNow) {
    String scope = Scope.provider(provider);
    Refusal bounded = bounded(scope, refusal, ledgerNow);
    Asked before = asked.get(scope);
    boolean weaker = before != null && !outlasts(bounded.until(), before.refusal().until());
    if (!weaker && !shown(ledger, scope, bounded.until())) {
      asked.put(scope, new Asked(bounded, ledger.lastOperator(scope), Long.MIN_VALUE));
    }
  }

  /** Whether a pause of this provider was sent and is not yet seen, so that no claim goes. */
  boolean pending(@Nullable String provider) {
    return Scope.providers(provider).stream().anyMatch(asked::containsKey);
  }

  /** Takes an entry that was read. */
  void read(LedgerEntry entry, Effect effect) {
    if (effect instanceof Effect.Released released) {
      if (released.release().outcome() == Outcome.COMPLETED) {
        refusals.keySet().removeAll(Scope.providers(released.lease().provider()));
      }
    } else if (effect instanceof Effect.Changed
        && entry instanceof LedgerEntry.Pause pause
        && pause.until() != null) {
      refusals.merge(pause.scope(), 1, Integer::sum);
    }
  }

  List<Step> due(LedgerState ledger, String self, long now) {
    asked.entrySet().removeIf(each -> answered(ledger, each.getKey(), each.getValue()));
    var steps = new ArrayList<Step>();
    asked.replaceAll((scope, each) -> {
      if (now < each.nextSend()) {
        return each;
      }
      long seen = ledger.lastOperator(scope);
      Refusal refusal = each.refusal();
      steps.add(
          new Step.Append(
              new LedgerEntry.Pause(scope, refusal.until(), seen, self, refusal.why())));
      return new Asked(refusal, each.seen(), now + nanos.retry);
    });
    return steps;
  }

  long nextTick() {
    return asked.values().stream().mapToLong(Asked::nextSend).min().orElse(Long.MAX_VALUE);
  }

  private static boolean answered(LedgerState ledger, String scope, Asked each) {
    Instant until = each.refusal().until();
    return until == null ? shown(ledger, scope, null) : ledger.lastOperator(scope) != each.seen();
  }

  /** Whether the ledger pauses the scope for at least as long. */
  private static boolean shown(LedgerState ledger, String scope, @Nullable Instant until) {
    return ledger.lastPause(scope).filter(pause -> !outlasts(until, pause.until())).isPresent();
  }

  private static boolean outlasts(@Nullable Instant one, @Nullable Instant other) {
    return other != null && (one == null || one.isAfter(other));
  }

  /**
   * The end of the pause lies within its bounds by the broker's clock. This machine's clock may be
   * days ahead, and the pause holds for every runner.
   */
  private Refusal bounded(String scope, Refusal refusal, Instant ledgerNow) {
    Instant until = refusal.until();
    if (until == null) {
      return refusal;
    }
    int doubled = 1 << Math.min(refusals.getOrDefault(scope, 0), 6);
    Instant least = ledgerNow.plus(SHORTEST.multipliedBy(Math.min(doubled, MOST_GROWN)));
    Instant most = ledgerNow.plus(LONGEST);
    Instant end = until.isBefore(least) ? least : until.isAfter(most) ? most : until;
    return new Refusal(end, refusal.why());
  }
}
