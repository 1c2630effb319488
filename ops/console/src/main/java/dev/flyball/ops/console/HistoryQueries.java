package dev.flyball.ops.console;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.DaySpend;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.console.view.PollRow;
import dev.flyball.ops.console.view.ScopeCap;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the projection knows of polls, dead letters, operators and spend. One thread at a time. */
final class HistoryQueries {
  private final Database sql;
  private final TenantScope scope;

  HistoryQueries(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
  }

  /** See {@link ConsoleView#windows}. */
  List<MetricWindow> windows(@Nullable String tenant, String size, Instant since)
      throws SQLException {
    return sql.list(
        row -> RecordJson.read(row.getString(1), MetricWindow.class),
        "SELECT json FROM metric_window WHERE size = ?1 AND start >= ?2 AND (?3 IS NULL OR tenant ="
            + " ?3) ORDER BY start, tenant",
        size,
        since,
        tenant);
  }

  /** See {@link ConsoleView#sources}. */
  List<SourceStatus> sources() throws SQLException {
    List<String> sources =
        sql.list(row -> row.getString(1), "SELECT DISTINCT source FROM poll ORDER BY source");
    var found = new ArrayList<SourceStatus>();
    for (String source : sources) {
      found.add(status(source));
    }
    return found;
  }

  /** See {@link ConsoleView#polls}. */
  List<PollRow> polls(@Nullable String source, int limit) throws SQLException {
    return sql.list(
        Rows.of(PollRow.class),
        "SELECT * FROM poll WHERE ?1 IS NULL OR source = ?1 ORDER BY at DESC, poll DESC LIMIT ?2",
        source,
        limit);
  }

  private SourceStatus status(String source) throws SQLException {
    Instant success =
        sql.first(
                row -> Instant.parse(row.getString(1)),
                "SELECT ended_at FROM poll WHERE source = ? AND result = 'finished' ORDER BY at"
                    + " DESC LIMIT 1",
                source)
            .orElse(null);
    Optional<Breaker> breaker =
        sql.first(Rows.of(Breaker.class), "SELECT * FROM breaker WHERE source = ?", source);
    boolean closed = breaker.isEmpty() || breaker.get().state.equals("closed");
    return new SourceStatus(
        source,
        last(source),
        success,
        closed ? next(source).orElse(null) : breaker.get().until,
        closed ? "closed" : breaker.get().state,
        closed ? null : breaker.get().reason);
  }

  private record Breaker(String state, @Nullable Instant until, @Nullable String reason) {}

  /**
   * Its newest poll. An attempt that was left to the producer that holds the lease is none, unless
   * there is no other.
   */
  private PollRow last(String source) throws SQLException {
    return sql.first(
            Rows.of(PollRow.class),
            "SELECT * FROM poll WHERE source = ? ORDER BY category IS 'lease', at DESC, poll DESC"
                + " LIMIT 1",
            source)
        .orElseThrow();
  }

  /** When it is due after the newest poll that began, by its interval. */
  private Optional<Instant> next(String source) throws SQLException {
    return sql.first(
        row -> Instant.parse(row.getString(1)),
        "SELECT next FROM poll WHERE source = ? AND next IS NOT NULL ORDER BY at DESC LIMIT 1",
        source);
  }

  /** See {@link ConsoleView#deadLetters}. */
  List<DeadLetterRow> deadLetters(int limit, @Nullable String after) throws SQLException {
    String[] place = after == null ? new String[] {"", ""} : after.split("\\.", 2);
    return sql.list(
        Rows.of(DeadLetterRow.class),
        "SELECT dead_letter.*, part || '.' || position AS place, (SELECT state FROM item WHERE"
            + " item.key = dead_letter.key) AS now FROM dead_letter WHERE ?1 = '' OR (at, part,"
            + " position) < (SELECT at, part, position FROM dead_letter WHERE part = CAST(?1 AS"
            + " INTEGER) AND position = CAST(?2 AS INTEGER)) ORDER BY at DESC, part DESC, position"
            + " DESC LIMIT ?3",
        place[0],
        place.length < 2 ? "" : place[1],
        limit);
  }

  /** See {@link ConsoleView#actions}. */
  List<OperatorAction> actions(int limit, @Nullable String after) throws SQLException {
    return sql.list(
        Rows.of(OperatorAction.class),
        "SELECT * FROM action WHERE ?1 IS NULL OR (at, id) < (SELECT at, id FROM action WHERE id ="
            + " ?1) ORDER BY at DESC, id DESC LIMIT ?2",
        after,
        limit);
  }

  /** See {@link ConsoleView#spend}. */
  DaySpend spend(Instant now) throws SQLException {
    List<String> of =
        scope.tenants() == null
            ? List.of(Scope.GLOBAL)
            : scope.tenants().stream().map(Scope::tenant).toList();
    LedgerState ledger = ProjectionFile.ledger(sql);
    return new DaySpend(
        of.stream().mapToLong(each -> ledger.spentMicros(each, now)).sum(),
        of.stream().mapToLong(each -> ledger.spentTokens(each, now)).sum(),
        ledger.budgets(now).stream()
            .filter(use -> scope.coversFigures(use.scope()))
            .map(HistoryQueries::budget)
            .toList(),
        ProjectionFile.ofKind("saved:", ProjectionFile.counters(sql)));
  }

  /** See {@link ConsoleView#caps}. */
  List<ScopeCap> caps() throws SQLException {
    LedgerState ledger = ProjectionFile.ledger(sql);
    return ledger.capped().stream()
        .filter(scope::coversScope)
        .map(of -> capOf(of, ledger))
        .toList();
  }

  private ScopeCap capOf(String of, LedgerState ledger) {
    int live = of.equals(Scope.GLOBAL) ? ledger.live() : ledger.live(of);
    return new ScopeCap(
        of, ledger.cap(of).orElseThrow(), scope.coversFigures(of) ? Integer.valueOf(live) : null);
  }

  private static DaySpend.Budget budget(BudgetUse use) {
    Limits limits = use.limits();
    return new DaySpend.Budget(
        use.scope(),
        use.spentMicros(),
        limits.dailyCostMicros(),
        use.spentTokens(),
        limits.dailyTokens());
  }
}
