package dev.flyball.ops.console.projection;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.projection.AlarmTable.Alarm;
import dev.flyball.ops.console.projection.AlarmTable.Alarms;
import dev.flyball.ops.console.view.BrokenInvariant;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
    CAP("session started above the cap"),
    SURVIVORS("processes outlive their session"),
    TERMINAL("second terminal event");

    private final String label;

    Rule(String label) {
      this.label = label;
    }

    String label() {
      return label;
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

  /** The rules that are broken now. */
  List<BrokenInvariant> broken(Alarms alarms) {
    var broken = new ArrayList<BrokenInvariant>();
    if (overSince != null) {
      broken.add(
          new BrokenInvariant(Rule.CAP.label(), live + " are live, the cap is " + cap, overSince));
    }
    add(broken, Rule.CAP, alarms.unpermitted(), "sessions without a permit");
    add(broken, Rule.SURVIVORS, alarms.survivors(), "processes");
    add(broken, Rule.TERMINAL, alarms.secondTerminals(), "sessions");
    return broken;
  }

  private static void add(List<BrokenInvariant> broken, Rule rule, Alarm alarm, String unit) {
    if (alarm.amount() > 0) {
      broken.add(new BrokenInvariant(rule.label(), alarm.amount() + " " + unit, alarm.since()));
    }
  }
}
