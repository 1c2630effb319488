package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.console.projection.AlarmTable.Rule;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.sqlite.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * What events report against an invariant: processes that outlive their session, second terminal
 * events, and sessions without a permit. An alarm lasts until an event withdraws it. One that is
 * not reported again for an hour is dropped, because there may be no runner left to withdraw it.
 * Used by the projection's thread.
 */
final class AlarmTable {
  /** The rules, by the name of their breach, which metrics carry as a tag. */
  enum Rule {
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

  /**
   * How long an alarm lasts without a new report; a runner reports every ten minutes what it cannot
   * end.
   */
  static final Duration KEPT = Duration.ofHours(1);

  private final Database sql;

  AlarmTable(Database sql) {
    this.sql = sql;
  }

  /** Takes what an event reports of its session's remaining processes. */
  void survivors(String session, LifecycleEvent event) {
    OptionalLong left = event.data().survivors();
    if (left.orElse(0) > 0) {
      raise(Rule.SURVIVORS, session, left.getAsLong(), event.time());
    } else if (left.isPresent()) {
      sql.update(
          "DELETE FROM alarm WHERE rule = ? AND session = ?", Rule.SURVIVORS.name(), session);
    }
  }

  /** Raises an alarm about a session, or repeats it. */
  void raise(Rule rule, String session, long amount, Instant at) {
    sql.update(
        "INSERT INTO alarm (rule, session, amount, since, reported) VALUES (?1, ?2, ?3, ?4, ?4)"
            + " ON CONFLICT (rule, session) DO UPDATE SET amount = ?3, reported = ?4",
        rule.name(),
        session,
        amount,
        at);
  }

  /**
   * The alarms in force. Survivors of a session that has not ended are no breach: it keeps its
   * lease and its slot.
   */
  List<BrokenInvariant> now(Instant now) {
    sql.update("DELETE FROM alarm WHERE reported < ?", now.minus(KEPT));
    return sql.list(
        row ->
            Rule.valueOf(row.getString(1)).broken(row.getLong(2), Instant.parse(row.getString(3))),
        "SELECT rule, sum(amount), min(since) FROM alarm WHERE rule <> 'SURVIVORS' OR NOT EXISTS"
            + " (SELECT 1 FROM session WHERE id = alarm.session AND outcome IS NULL) GROUP BY"
            + " rule ORDER BY rule");
  }
}
