package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.ClaimRule;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Dollars;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** The rows of what operators did. Used by the projection's thread. */
final class ActionTable {
  private final Database sql;

  ActionTable(Database sql) {
    this.sql = sql;
  }

  /** Stores the answer of a command on an item. */
  void command(LifecycleEvent event, boolean applied) throws SQLException {
    EventData data = event.data();
    String before = data.text(Field.BEFORE).orElse("unknown");
    put(
        "event:" + data.text(Field.COMMAND_ID).orElse(event.id()),
        event.time(),
        TenantScope.tenantOf(event.subject()),
        new Request(
            data.text(Field.WHO).orElse("unknown"),
            data.text(Field.COMMAND).orElse("unknown"),
            event.subject(),
            data.text(Field.REASON).orElse("")),
        applied,
        applied ? before + " -> " + data.text(Field.AFTER).orElse("unknown") : before,
        null);
  }

  /** Stores an operator's entry of the ledger; others change nothing. */
  void entry(LedgerEntry entry, long offset, Instant at) throws SQLException {
    var place = new Place(offset, at);
    switch (entry) {
      case LedgerEntry.Cap cap ->
          entry(
              new Request(cap.who(), "cap", cap.scope(), cap.why()),
              cap.seen(),
              cap.limit() == ClaimRule.NO_CAP ? "no cap" : Integer.toString(cap.limit()),
              place);
      case LedgerEntry.Pause pause ->
          entry(
              new Request(pause.who(), "pause", pause.scope(), pause.why()),
              pause.seen(),
              pause.until() == null ? null : "until " + pause.until(),
              place);
      case LedgerEntry.Resume resume ->
          entry(
              new Request(resume.who(), "resume", resume.scope(), resume.why()),
              resume.seen(),
              null,
              place);
      case LedgerEntry.Budget budget ->
          entry(
              new Request(budget.who(), "budget", budget.scope(), budget.why()),
              budget.seen(),
              text(budget.limits()),
              place);
      default -> {}
    }
  }

  /**
   * An operator's request.
   *
   * @param target the scope or the item
   */
  private record Request(String who, String what, String target, String why) {}

  /** Where an entry is in the ledger. */
  private record Place(long offset, Instant at) {}

  /**
   * The ledger's rule, applied to the entries that are kept: an entry has effect if its writer had
   * seen the scope's last effective one.
   */
  private void entry(Request request, long seen, @Nullable String detail, Place place)
      throws SQLException {
    boolean later =
        sql.first(
                row -> row.getInt(1) == 1,
                "SELECT EXISTS (SELECT 1 FROM action WHERE target = ? AND ledger_offset > ? AND"
                    + " ledger_offset < ? AND applied = 1)",
                request.target,
                seen,
                place.offset)
            .orElse(false);
    boolean applied =
        !later && (!request.what.equals("resume") || paused(request.target, seen, place.offset));
    put(
        "ledger:" + place.offset,
        place.at,
        Scope.tenantOf(request.target),
        request,
        applied,
        detail,
        place.offset);
  }

  /**
   * Whether a scope was paused before this offset: only then a resume has effect. Where no pause or
   * resume of it is kept any more, but its writer had seen some entry of the scope, that was an
   * older pause: what is kept goes back 30 days, and a pause may last longer.
   */
  private boolean paused(String scope, long seen, long offset) throws SQLException {
    return sql.first(
            row -> row.getString(1).equals("pause"),
            "SELECT what FROM action WHERE target = ? AND ledger_offset < ? AND applied = 1 AND"
                + " what IN ('pause', 'resume') ORDER BY ledger_offset DESC LIMIT 1",
            scope,
            offset)
        .orElse(seen >= 0);
  }

  private void put(
      String id,
      Instant at,
      String tenant,
      Request request,
      boolean applied,
      @Nullable String detail,
      @Nullable Long offset)
      throws SQLException {
    sql.update(
        "INSERT OR IGNORE INTO action (id, at, tenant, who, what, target, why, applied, detail,"
            + " ledger_offset) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        at,
        tenant,
        request.who,
        request.what,
        request.target,
        request.why,
        applied ? 1 : 0,
        detail,
        offset);
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
