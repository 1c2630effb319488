package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.sqlite.Database;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows of sessions. Each event of a session changes only its row, and none changes it after its
 * terminal event, so that a projection that is built again gives the same rows. Used by the
 * projection's thread.
 */
final class SessionTable {
  private final Database sql;
  private final AlarmTable alarms;

  SessionTable(Database sql, AlarmTable alarms) {
    this.sql = sql;
    this.alarms = alarms;
  }

  /**
   * Applies an event of a session.
   *
   * @return whether it ended the session
   */
  boolean apply(String id, LifecycleEvent event) {
    EventType type = event.type();
    String tenant = TenantScope.tenantOf(event.subject());
    boolean live = reported(id, tenant, event);
    if (!live && type.terminal()) {
      alarms.raise(AlarmTable.Rule.TERMINAL, id, 1, event.time());
    }
    alarms.survivors(id, event);
    if (!live) {
      return false;
    }
    switch (type) {
      case SESSION_CLAIMED -> set(id, "runner = ?2", event.data().text(Field.RUNNER).orElse(null));
      case SESSION_SPAWNED -> {
        set(id, "started_at = coalesce(started_at, ?2)", event.time());
        set(id, "progress_at = ?2, hung = 0", event.time());
      }
      case SESSION_IDENTIFIED, SESSION_RECOVERED ->
          set(id, "progress_at = ?2, hung = 0", event.time());
      // A report of its runner, which contains how long the agent itself has been silent.
      case SESSION_PROGRESSED ->
          set(
              id,
              "progress_at = ?2",
              event.time().minusMillis(event.data().number(Field.OUTPUT_AGE_MS).orElse(0)));
      case SESSION_HUNG -> set(id, "hung = ?2", 1);
      default -> {
        if (type.terminal()) {
          ended(id, tenant, event);
        }
      }
    }
    return type.terminal();
  }

  /**
   * Stores what any event may report of a session.
   *
   * @return whether it has not ended; else nothing is stored
   */
  private boolean reported(String id, String tenant, LifecycleEvent event) {
    EventData data = event.data();
    long parts =
        data.number(Field.INPUT_TOKENS).orElse(0) + data.number(Field.OUTPUT_TOKENS).orElse(0);
    return sql.update(
            "INSERT INTO session (id, item, tenant, pid, level, processes, doing, tokens,"
                + " cost_micros, attempt, agent, profile, model, limit_ms) VALUES (?, ?, ?, ?, ?,"
                + " ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET pid ="
                + " coalesce(excluded.pid, pid), level = coalesce(excluded.level, level), processes"
                + " = coalesce(excluded.processes, processes), doing = coalesce(excluded.doing,"
                + " doing), tokens = max(excluded.tokens, tokens), cost_micros ="
                + " max(excluded.cost_micros, cost_micros), attempt = coalesce(excluded.attempt,"
                + " attempt), agent = coalesce(excluded.agent, agent), profile ="
                + " coalesce(excluded.profile, profile), model = coalesce(excluded.model, model),"
                + " limit_ms = coalesce(excluded.limit_ms, limit_ms) WHERE outcome IS NULL",
            id,
            event.subject(),
            tenant,
            number(data, Field.PID),
            data.text(Field.LEVEL).orElse(null),
            number(data, Field.PROCESSES),
            data.text(Field.DOING).orElse(null),
            data.number(Field.TOKENS).orElse(parts),
            data.number(Field.COST_MICROS).orElse(0),
            number(data, Field.ATTEMPT),
            data.text(Field.AGENT).orElse(null),
            data.text(Field.PROFILE).orElse(null),
            data.text(Field.MODEL).orElse(null),
            number(data, Field.LIMIT_MS))
        == 1;
  }

  private void ended(String id, String tenant, LifecycleEvent event) {
    EventData data = event.data();
    Optional<Receipt> receipt = data.record(Field.RECEIPT, Receipt.class);
    String outcome = data.text(Field.OUTCOME).orElseGet(() -> outcomeOf(event.type()));
    sql.update(
        "UPDATE session SET hung = 0, outcome = ?2, reason = ?3, ended_at = ?4, waiting_ms = ?5,"
            + " running_ms = ?6, exit_code = ?7, signal = ?8, processes_peak = ?9, survivors = ?10"
            + " WHERE id = ?1",
        id,
        outcome,
        data.text(Field.REASON).orElse(null),
        event.time(),
        data.number(Field.WAITING_MS).orElse(0),
        data.number(Field.RUNNING_MS).orElse(0),
        number(data, Field.EXIT_CODE),
        number(data, Field.SIGNAL),
        receipt.map(Receipt::processesPeak).orElse(null),
        receipt.map(Receipt::survivors).orElse(null));
    ProjectionFile.count(sql, tenant, "ended:" + outcome, 1);
    long cost =
        sql.first(Long.class, "SELECT cost_micros FROM session WHERE id = ?", id).orElseThrow();
    ProjectionFile.count(sql, tenant, "cost", cost);
    Optional<String> deserved = data.text(Field.DESERVED);
    if (deserved.isPresent()) {
      ProjectionFile.count(sql, tenant, "deserved:" + deserved.get(), 1);
    }
  }

  private void set(String id, String change, @Nullable Object value) {
    sql.update("UPDATE session SET " + change + " WHERE id = ?1", id, value);
  }

  private static String outcomeOf(EventType type) {
    String name = type.type().substring("flyball.session.".length());
    return name.substring(0, name.indexOf('.'));
  }

  private static @Nullable Long number(EventData data, Field field) {
    var number = data.number(field);
    return number.isPresent() ? Long.valueOf(number.getAsLong()) : null;
  }
}
