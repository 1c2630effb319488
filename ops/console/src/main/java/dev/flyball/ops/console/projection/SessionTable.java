package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * The rows of sessions: loaded, changed by {@link SessionRow#after}, stored. Used by the
 * projection's thread.
 */
final class SessionTable {
  private final Database sql;
  private final Counters counters;
  private final AlarmTable alarms;

  SessionTable(Database sql, Counters counters, AlarmTable alarms) {
    this.sql = sql;
    this.counters = counters;
    this.alarms = alarms;
  }

  /**
   * Applies an event of a session.
   *
   * @return whether it ended the session
   */
  boolean apply(String id, LifecycleEvent event) throws SQLException {
    SessionRow before =
        sql.first(SessionTable::sessionOf, "SELECT * FROM session WHERE id = ?", id)
            .orElseGet(() -> SessionRow.begin(id, event.subject()));
    if (before.end() != null && event.type().terminal()) {
      counters.count("second-terminals", 1);
      alarms.secondTerminal(id, event.time());
    }
    alarms.survivors(id, event);
    SessionRow after = before.after(event);
    if (after.equals(before) && before.end() != null) {
      return false;
    }
    put(after);
    SessionRow.End end = after.end();
    if (end != null && before.end() == null) {
      counters.count("ended:" + end.outcome(), 1);
      counters.count("cost", after.costMicros());
      Optional<String> deserved = event.data().text(Field.DESERVED);
      if (deserved.isPresent()) {
        counters.count("deserved:" + deserved.get(), 1);
      }
      return true;
    }
    return false;
  }

  private void put(SessionRow row) throws SQLException {
    SessionRow.End end = row.end();
    sql.update(
        "INSERT OR REPLACE INTO session (id, item, runner, pid, level, processes, progress_at,"
            + " hung, tokens, cost_micros, outcome, reason, ended_at, waiting_ms, running_ms,"
            + " survivors) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.id(),
        row.item(),
        row.runner(),
        row.pid(),
        row.level(),
        row.processes(),
        row.progressAt(),
        row.hung() ? 1 : 0,
        row.tokens(),
        row.costMicros(),
        end == null ? null : end.outcome(),
        end == null ? null : end.reason(),
        end == null ? null : end.at(),
        end == null ? 0 : end.waitingMs(),
        end == null ? 0 : end.runningMs(),
        end == null ? null : end.survivors());
  }

  private static SessionRow sessionOf(java.sql.ResultSet row) throws SQLException {
    String outcome = row.getString("outcome");
    Instant endedAt = Database.instant(row, "ended_at");
    SessionRow.End end =
        outcome == null || endedAt == null
            ? null
            : new SessionRow.End(
                outcome,
                row.getString("reason"),
                endedAt,
                row.getLong("waiting_ms"),
                row.getLong("running_ms"),
                Database.number(row, "survivors"));
    return new SessionRow(
        row.getString("id"),
        row.getString("item"),
        row.getString("runner"),
        Database.number(row, "pid"),
        row.getString("level"),
        Database.number(row, "processes"),
        Database.instant(row, "progress_at"),
        row.getInt("hung") == 1,
        row.getLong("tokens"),
        row.getLong("cost_micros"),
        end);
  }
}
