package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.PoolLedger;
import dev.flyball.contract.topic.Pools;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** The rows of the ledger's state: leases, runners, pauses, cap, and the broken invariants. */
final class LedgerTable {
  private final Database sql;
  private final AlarmTable alarms;

  LedgerTable(Database sql, AlarmTable alarms) {
    this.sql = sql;
    this.alarms = alarms;
  }

  /** The ledger of a pool as far as it was read. */
  record Seen(String pool, LedgerState state, Invariants invariants) {}

  /** Stores the current leases, runners, pauses and caps of all pools, and what is broken. */
  void put(List<Seen> ledgers, Pools tenants, Instant now) throws SQLException {
    for (String table : List.of("lease", "pool", "runner", "pause")) {
      sql.update("DELETE FROM " + table);
    }
    for (Seen each : ledgers) {
      add(new PoolLedger(tenants, each.pool(), each.state()), now);
    }
    ProjectionFile.putMeta(sql, "pools", RecordJson.write(tenants));
    ProjectionFile.putMeta(
        sql,
        "broken",
        Invariants.broken(ledgers, alarms.now(now)).stream()
            .map(Invariants.Broken::line)
            .collect(Collectors.joining("\n")));
  }

  private void add(PoolLedger ledger, Instant now) throws SQLException {
    String pool = ledger.pool();
    sql.update("INSERT INTO pool (name, cap) VALUES (?, ?)", pool, ledger.state().cap());
    for (Lease lease : ledger.state().leases()) {
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
    for (LedgerEntry.Runner runner : ledger.state().runners()) {
      sql.update(
          "INSERT OR REPLACE INTO runner (pool, id, level, slots, refusing) VALUES (?, ?, ?, ?, ?)",
          pool,
          runner.id(),
          runner.level(),
          runner.slots(),
          runner.refusing());
    }
    for (LedgerEntry.Pause pause : ledger.pauses(now)) {
      sql.update(
          "INSERT INTO pause (pool, scope, line) VALUES (?, ?, ?)",
          pool,
          pause.scope(),
          LedgerHealth.line(pause, ProjectionFile.inPool(pause.scope(), pool)));
    }
  }

  /** Stores the ledger's state itself, so that readers of the file can query it. */
  void keep(String pool, LedgerState ledger) throws SQLException {
    ProjectionFile.putMeta(
        sql, ProjectionFile.ledgerKey(pool), RecordJson.write(ledger.snapshot()));
  }
}
