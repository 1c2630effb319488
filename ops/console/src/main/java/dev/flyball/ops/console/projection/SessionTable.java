package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
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

  /**
   * One session as its events describe it. Immutable; changed only by {@link #after}, so that a
   * rebuilt projection gives the same row as the live one.
   *
   * @param start what its first events say
   * @param end null while it has no terminal event
   */
  record SessionRow(
      String id,
      String item,
      @Nullable String runner,
      @Nullable Long pid,
      @Nullable String level,
      @Nullable Long processes,
      @Nullable Instant progressAt,
      boolean hung,
      long tokens,
      long costMicros,
      Start start,
      @Nullable End end) {

    /**
     * How the session began; null where no event said it.
     *
     * @param at when its agent was started
     * @param agent the adapter
     * @param limitMs the longest time that it may run
     */
    record Start(
        @Nullable Long attempt,
        @Nullable Instant at,
        @Nullable String agent,
        @Nullable String profile,
        @Nullable String model,
        @Nullable Long limitMs) {
      static final Start UNKNOWN = new Start(null, null, null, null, null, null);

      private Start after(LifecycleEvent event) {
        EventData data = event.data();
        return new Start(
            number(data, Field.ATTEMPT, attempt),
            at == null && event.type() == EventType.SESSION_SPAWNED ? event.time() : at,
            data.text(Field.AGENT).orElse(agent),
            data.text(Field.PROFILE).orElse(profile),
            data.text(Field.MODEL).orElse(model),
            number(data, Field.LIMIT_MS, limitMs));
      }
    }

    /**
     * How the session ended.
     *
     * @param exitCode of its agent; null if it has none, for example because a signal ended it
     * @param signal that ended its agent, null if none did
     */
    record End(
        String outcome,
        @Nullable String reason,
        Instant at,
        long waitingMs,
        long runningMs,
        @Nullable Long exitCode,
        @Nullable Long signal,
        @Nullable Long processesPeak,
        @Nullable Long survivors) {}

    static SessionRow begin(String id, String item) {
      return new SessionRow(
          id, item, null, null, null, null, null, false, 0, 0, Start.UNKNOWN, null);
    }

    /** This session after one more event. Events after its terminal event change nothing. */
    SessionRow after(LifecycleEvent event) {
      if (end != null) {
        return this;
      }
      EventData data = event.data();
      SessionRow used = used(event);
      if (event.type().terminal()) {
        return used.with(used.runner, used.progressAt, false, ended(event));
      }
      return switch (event.type()) {
        case SESSION_CLAIMED ->
            used.with(data.text(Field.RUNNER).orElse(null), progressAt, hung, null);
        case SESSION_SPAWNED, SESSION_IDENTIFIED, SESSION_RECOVERED ->
            used.with(runner, event.time(), false, null);
        case SESSION_PROGRESSED -> used.with(runner, spoke(event), hung, null);
        case SESSION_HUNG -> used.with(runner, progressAt, true, null);
        default -> used;
      };
    }

    private SessionRow used(LifecycleEvent event) {
      EventData data = event.data();
      long parts =
          data.number(Field.INPUT_TOKENS).orElse(0) + data.number(Field.OUTPUT_TOKENS).orElse(0);
      long now = data.number(Field.TOKENS).orElse(parts);
      return new SessionRow(
          id,
          item,
          runner,
          number(data, Field.PID, pid),
          data.text(Field.LEVEL).orElse(level),
          number(data, Field.PROCESSES, processes),
          progressAt,
          hung,
          Math.max(tokens, now),
          Math.max(costMicros, data.number(Field.COST_MICROS).orElse(0)),
          start.after(event),
          null);
    }

    private SessionRow with(
        @Nullable String by, @Nullable Instant progress, boolean silent, @Nullable End how) {
      return new SessionRow(
          id, item, by, pid, level, processes, progress, silent, tokens, costMicros, start, how);
    }

    /**
     * A progress report of its runner, which contains how long the agent itself has been silent.
     */
    private static Instant spoke(LifecycleEvent report) {
      return report.time().minusMillis(report.data().number(Field.OUTPUT_AGE_MS).orElse(0));
    }

    private static End ended(LifecycleEvent event) {
      EventData data = event.data();
      Optional<Receipt> receipt = data.record(Field.RECEIPT, Receipt.class);
      Integer survivors = receipt.map(Receipt::survivors).orElse(null);
      return new End(
          data.text(Field.OUTCOME).orElse(outcomeOf(event.type())),
          data.text(Field.REASON).orElse(null),
          event.time(),
          data.number(Field.WAITING_MS).orElse(0),
          data.number(Field.RUNNING_MS).orElse(0),
          number(data, Field.EXIT_CODE, null),
          number(data, Field.SIGNAL, null),
          receipt.map(it -> (long) it.processesPeak()).orElse(null),
          survivors == null ? null : survivors.longValue());
    }

    private static String outcomeOf(EventType type) {
      String name = type.type().substring("flyball.session.".length());
      return name.substring(0, name.indexOf('.'));
    }

    private static @Nullable Long number(EventData data, Field field, @Nullable Long otherwise) {
      OptionalLong number = data.number(field);
      return number.isPresent() ? Long.valueOf(number.getAsLong()) : otherwise;
    }
  }
}
