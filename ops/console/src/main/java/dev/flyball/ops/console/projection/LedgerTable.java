package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.ClaimRule;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Dollars;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.sqlite.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the ledger: its leases, runners, pauses and cap, what operators entered, and the
 * broken invariants. An alarm about an invariant lasts until an event withdraws it. One that is not
 * reported again for an hour is dropped, because there may be no runner left to withdraw it. Used
 * by the projection's thread.
 */
final class LedgerTable {
  /** The invariants, by the name of their breach, which metrics carry as a tag. */
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

    private BrokenInvariant broken(long amount, Instant since) {
      return new BrokenInvariant(label, amount + " " + unit, since);
    }
  }

  /** How long an alarm lasts; a runner reports every ten minutes what it cannot end. */
  private static final Duration KEPT = Duration.ofHours(1);

  /** What is larger is part of a checkpoint. */
  private static final int LARGEST_OPERATOR_ENTRY = 16 * 1024;

  private final Database sql;

  LedgerTable(Database sql) {
    this.sql = sql;
  }

  /** Stores the current leases, runners, pauses and the cap, and what is broken. */
  void put(LedgerState ledger, Instant now) {
    for (String table : List.of("lease", "runner", "pause")) {
      sql.update("DELETE FROM " + table);
    }
    ProjectionFile.putMeta(sql, "broken", RecordJson.write(broken(now)));
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
  void keep(LedgerState ledger) {
    ProjectionFile.putMeta(sql, ProjectionFile.LEDGER, RecordJson.write(ledger.snapshot()));
  }

  /** Raises the alarm about a session without a permit; events raise the others. */
  void withoutPermit(String session, Instant at) {
    sql.update(
        "INSERT OR IGNORE INTO alarm (rule, session, amount, since, reported) VALUES (?1, ?2, 1,"
            + " ?3, ?3)",
        Rule.PERMIT.name(),
        session,
        at);
  }

  /**
   * The alarms in force. Survivors of a session that has not ended are no breach: it keeps its
   * lease and its slot.
   */
  private List<BrokenInvariant> broken(Instant now) {
    sql.update("DELETE FROM alarm WHERE reported < ?", now.minus(KEPT));
    return sql.list(
        row ->
            Rule.valueOf(row.getString(1)).broken(row.getLong(2), Instant.parse(row.getString(3))),
        "SELECT rule, sum(amount), min(since) FROM alarm WHERE rule <> 'SURVIVORS' OR NOT EXISTS"
            + " (SELECT 1 FROM session WHERE id = alarm.session AND outcome IS NULL) GROUP BY"
            + " rule ORDER BY rule");
  }

  /** Stores an operator's entry of the ledger; other records change nothing. */
  void entry(ConsumerRecord<String, byte[]> record) {
    byte[] value = record.value();
    if (value != null && value.length <= LARGEST_OPERATOR_ENTRY) {
      Optional<LedgerEntry> entry = LedgerEntry.parse(value);
      if (entry.isPresent()) {
        entry(entry.get(), record.offset(), Instant.ofEpochMilli(record.timestamp()));
      }
    }
  }

  /** Stores an operator's entry of the ledger; others change nothing. */
  void entry(LedgerEntry entry, long offset, Instant at) {
    switch (entry) {
      case LedgerEntry.Cap cap ->
          put(
              cap,
              "cap",
              cap.limit() == ClaimRule.NO_CAP ? "no cap" : Integer.toString(cap.limit()),
              offset,
              at);
      case LedgerEntry.Pause pause ->
          put(pause, "pause", pause.until() == null ? null : "until " + pause.until(), offset, at);
      case LedgerEntry.Resume resume -> put(resume, "resume", null, offset, at);
      case LedgerEntry.Budget budget -> put(budget, "budget", text(budget.limits()), offset, at);
      default -> {}
    }
  }

  /**
   * Stores a change of a scope. The ledger's rule is applied to the entries that are kept: one has
   * effect if its writer had seen the scope's last effective one, and a resume only where the scope
   * was paused. Where no pause or resume of it is kept any more, but its writer had seen some entry
   * of the scope, that was an older pause: what is kept goes back 30 days, and a pause may last
   * longer.
   */
  private void put(
      LedgerEntry.OfScope change, String what, @Nullable String detail, long offset, Instant at) {
    sql.update(
        "INSERT OR IGNORE INTO action (id, at, tenant, who, what, target, why, detail,"
            + " ledger_offset, applied) VALUES ('ledger:' || ?8, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
            + " NOT EXISTS (SELECT 1 FROM action WHERE target = ?5 AND ledger_offset > ?9 AND"
            + " ledger_offset < ?8 AND applied = 1) AND (?4 <> 'resume' OR coalesce((SELECT what ="
            + " 'pause' FROM action WHERE target = ?5 AND ledger_offset < ?8 AND applied = 1 AND"
            + " what IN ('pause', 'resume') ORDER BY ledger_offset DESC LIMIT 1), ?9 >= 0)))",
        at,
        Scope.tenantOf(change.scope()),
        change.who(),
        what,
        change.scope(),
        change.why(),
        detail,
        offset,
        change.seen());
  }

  private static String text(Limits limits) {
    var parts = new ArrayList<String>(2);
    if (limits.dailyCostMicros() != null) {
      parts.add(Dollars.exact(limits.dailyCostMicros()) + " USD");
    }
    if (limits.dailyTokens() != null) {
      parts.add(limits.dailyTokens() + " tokens");
    }
    return parts.isEmpty() ? "no limit" : String.join(", ", parts) + " a day";
  }
}
