package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.stream.Collectors;

/** The rows of the ledger's state: leases, runners, pauses, cap, and the broken invariants. */
final class LedgerTable {
  private final Database sql;
  private final AlarmTable alarms;

  LedgerTable(Database sql, AlarmTable alarms) {
    this.sql = sql;
    this.alarms = alarms;
  }

  /** Stores the ledger's current leases, runners, pauses and cap, and the broken invariants. */
  void put(LedgerState ledger, Invariants invariants, Instant now) throws SQLException {
    sql.update("DELETE FROM lease");
    for (Lease lease : ledger.leases()) {
      sql.update(
          "INSERT INTO lease (session, item, tenant, runner, attempt, claimed_at, tokens,"
              + " cost_micros) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          lease.session(),
          lease.item().toString(),
          lease.item().tenant(),
          lease.runner(),
          lease.attempt(),
          Instant.ofEpochMilli(lease.claimedMs()),
          lease.tokens(),
          lease.costMicros());
    }
    sql.update("DELETE FROM runner");
    for (LedgerEntry.Runner runner : ledger.runners()) {
      sql.update(
          "INSERT OR REPLACE INTO runner (id, level, slots, refusing) VALUES (?, ?, ?, ?)",
          runner.id(),
          runner.level(),
          runner.slots(),
          runner.refusing());
    }
    sql.update("DELETE FROM pause");
    for (LedgerEntry.Pause pause : ledger.pauses(now)) {
      sql.update(
          "INSERT OR REPLACE INTO pause (scope, line) VALUES (?, ?)",
          pause.scope(),
          LedgerHealth.line(pause));
    }
    ProjectionFile.putMeta(sql, "cap", Integer.toString(ledger.cap()));
    ProjectionFile.putMeta(
        sql,
        "broken",
        invariants.broken(ledger, alarms.now(now)).stream()
            .map(Invariants.Broken::line)
            .collect(Collectors.joining("\n")));
  }

  /** Stores the ledger's state itself, so that readers of the file can query it. */
  void keep(LedgerState ledger) throws SQLException {
    ProjectionFile.putMeta(sql, "ledger", RecordJson.write(ledger.snapshot()));
  }
}
