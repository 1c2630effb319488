package dev.flyball.ops.console.projection;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.view.BrokenInvariant;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Watches the invariants that can be seen from outside. Pure; it must receive every state of the
 * ledger in order. Live sessions may exceed a lowered cap while they drain. Only a session that
 * starts while the cap is reached breaks the invariant, which is reported until the live sessions
 * are within the cap again. A session that starts without an effective claim is beyond the cap too.
 */
final class Invariants {
  private int live;
  private int cap;
  private @Nullable Instant overSince;

  /** Begins with a state without known history: all its live sessions count as allowed. */
  Invariants(LedgerState first) {
    this.live = first.live();
    this.cap = first.cap();
  }

  /** The rules, by the name of their breach, which metrics carry as a tag. */
  enum Rule {
    CAP("session started above the cap", "sessions"),
    PERMIT("session started above the cap", "sessions without a permit"),
    SURVIVORS("processes outlive their session", "processes"),
    TERMINAL("second terminal event", "sessions");

    private final String label;
    private final String unit;

    Rule(String label, String unit) {
      this.label = label;
      this.unit = unit;
    }

    String label() {
      return label;
    }

    BrokenInvariant broken(long amount, Instant since) {
      return new BrokenInvariant(label, amount + " " + unit, since);
    }
  }

  /** Records the ledger's next state. */
  void observe(LedgerState next, Instant at) {
    boolean started = next.live() > live;
    if (next.live() <= next.cap()) {
      overSince = null;
    } else if (started && live >= cap && overSince == null) {
      overSince = at;
    }
    live = next.live();
    cap = next.cap();
  }

  /** The rule that the ledger breaks now; empty if it breaks none. */
  Optional<BrokenInvariant> broken() {
    return Optional.ofNullable(overSince)
        .map(since ->
            new BrokenInvariant(Rule.CAP.label(), live + " are live, the cap is " + cap, since));
  }
}
