package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The rows of the ledger's state: leases, runners, pauses, cap, and the broken invariants. */
final class LedgerTable {
  private final Database sql;
  private final AlarmTable alarms;

  LedgerTable(Database sql, AlarmTable alarms) {
    this.sql = sql;
    this.alarms = alarms;
  }

  /** Stores the current leases, runners, pauses and the cap, and what is broken. */
  void put(LedgerState ledger, Invariants invariants, Instant now) throws SQLException {
    for (String table : List.of("lease", "runner", "pause")) {
      sql.update("DELETE FROM " + table);
    }
    ProjectionFile.putMeta(
        sql, "broken", RecordJson.write(invariants.broken(alarms.now(now))));
    ProjectionFile.putMeta(sql, "cap", Integer.toString(ledger.cap()));
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
    for (LedgerEntry.Runner runner : ledger.runners()) {
      sql.update(
          "INSERT INTO runner (id, level, slots, refusing) VALUES (?, ?, ?, ?)",
          runner.id(),
          runner.level(),
          runner.slots(),
          runner.refusing());
    }
    for (LedgerEntry.Pause pause : ledger.pauses(now)) {
      sql.update(
          "INSERT INTO pause (scope, line) VALUES (?, ?)", pause.scope(), LedgerHealth.line(pause));
    }
  }

  /** Stores the ledger's state itself, so that readers of the file can query it. */
  void keep(LedgerState ledger) throws SQLException {
    ProjectionFile.putMeta(sql, ProjectionFile.LEDGER, RecordJson.write(ledger.snapshot()));
  }
}
