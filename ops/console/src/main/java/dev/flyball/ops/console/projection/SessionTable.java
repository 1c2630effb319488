package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
    String tenant = TenantScope.tenantOf(event.subject());
    SessionRow before =
        sql.first(SessionTable::sessionOf, "SELECT * FROM session WHERE id = ?", id)
            .orElseGet(() -> SessionRow.begin(id, event.subject()));
    if (before.end() != null && event.type().terminal()) {
      counters.count(tenant, "second-terminals", 1);
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
      counters.count(tenant, "ended:" + end.outcome(), 1);
      counters.count(tenant, "cost", after.costMicros());
      Optional<String> deserved = event.data().text(Field.DESERVED);
      if (deserved.isPresent()) {
        counters.count(tenant, "deserved:" + deserved.get(), 1);
      }
      return true;
    }
    return false;
  }

  private void put(SessionRow row) throws SQLException {
    SessionRow.End end = row.end();
    sql.update(
        "INSERT OR REPLACE INTO session (id, item, tenant, runner, pid, level, processes,"
            + " progress_at, hung, tokens, cost_micros, attempt, started_at, agent, profile, model,"
            + " limit_ms, outcome, reason, ended_at, waiting_ms, running_ms, exit_code, signal,"
            + " processes_peak, survivors) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            + " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.id(),
        row.item(),
        TenantScope.tenantOf(row.item()),
        row.runner(),
        row.pid(),
        row.level(),
        row.processes(),
        row.progressAt(),
        row.hung() ? 1 : 0,
        row.tokens(),
        row.costMicros(),
        row.start().attempt(),
        row.start().at(),
        row.start().agent(),
        row.start().profile(),
        row.start().model(),
        row.start().limitMs(),
        end == null ? null : end.outcome(),
        end == null ? null : end.reason(),
        end == null ? null : end.at(),
        end == null ? 0 : end.waitingMs(),
        end == null ? 0 : end.runningMs(),
        end == null ? null : end.exitCode(),
        end == null ? null : end.signal(),
        end == null ? null : end.processesPeak(),
        end == null ? null : end.survivors());
  }

  private static SessionRow sessionOf(ResultSet row) throws SQLException {
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
        new SessionRow.Start(
            Database.number(row, "attempt"),
            Database.instant(row, "started_at"),
            row.getString("agent"),
            row.getString("profile"),
            row.getString("model"),
            Database.number(row, "limit_ms")),
        endOf(row));
  }

  private static SessionRow.@Nullable End endOf(ResultSet row) throws SQLException {
    String outcome = row.getString("outcome");
    Instant endedAt = Database.instant(row, "ended_at");
    return outcome == null || endedAt == null
        ? null
        : new SessionRow.End(
            outcome,
            row.getString("reason"),
            endedAt,
            row.getLong("waiting_ms"),
            row.getLong("running_ms"),
            Database.number(row, "exit_code"),
            Database.number(row, "signal"),
            Database.number(row, "processes_peak"),
            Database.number(row, "survivors"));
  }
}
