package dev.flyball.ops.console;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.ops.console.view.Summary.SessionTotals;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.console.why.ItemStatus.WaitingRow;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the console's projection, as far as a reader may see it: the tables of the opened file hold
 * only the tenants that were given. It uses only the projection's file, so it works while the
 * console runs, after it has ended, and in another process. One thread at a time.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read.
 */
public final class ConsoleView implements AutoCloseable {
  private final Database sql;
  private final TenantScope scope;
  private final ItemQueries items;

  ConsoleView(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
    this.items = new ItemQueries(sql, scope);
  }

  /**
   * Opens the projection in a data folder for a reader of that folder, who sees all tenants; empty
   * if no console ever ran there.
   */
  public static Optional<ConsoleView> open(Path data) {
    return open(data, TenantScope.ALL);
  }

  /** The same for a reader of these tenants only. */
  public static Optional<ConsoleView> open(Path data, TenantScope scope) {
    return ProjectionFile.openForReading(data, scope).map(sql -> new ConsoleView(sql, scope));
  }

  /**
   * Live sessions, longest running first: every open lease, also one whose events have not arrived
   * yet.
   *
   * @param now the time to which elapsed times are measured
   * @param limit {@code sessions.wall-clock}, of a session that has not reported its own yet
   */
  public List<RunningSession> ps(Instant now, Duration limit) {
    return sql.list(
        RunningSession.class,
        "SELECT *, max(0, CAST(round((julianday(?1) - julianday(since)) * 86400000) AS INTEGER))"
            + " AS elapsed_ms, coalesce(own_limit_ms, ?2) AS limit_ms FROM running ORDER BY since,"
            + " session",
        now,
        limit.toMillis());
  }

  /**
   * Items by state (running, queued, triaging, new, failed, dead, analyzed, skipped, cancelled,
   * closed), then by priority and key.
   */
  public List<ItemRow> items(ItemFilter filter) {
    return items.page(filter);
  }

  /**
   * The number of items that match, whatever the filter's limit and place. It is counted up to
   * {@link ItemFilter#COUNTED}; one more than that means "more".
   */
  public long count(ItemFilter filter) {
    return items.count(filter);
  }

  /** The keys of the items that end with this id, in order. */
  public List<String> keysOf(String id) {
    return id.isEmpty()
        ? List.of()
        : sql.list(
            String.class,
            "SELECT key FROM item WHERE substr(key, -length(?1) - 1) = '/' || ?1 ORDER BY key",
            id);
  }

  /** One item with its timeline; empty if nothing is known under this key. */
  public Optional<ItemStory> item(String key) {
    return items.story(key);
  }

  /**
   * Why an item is not running, or that it runs, or how it ended; empty if no item has this key.
   *
   * @param now the time to which pauses and runners' silence are measured
   * @param reserves what a claim of each profile would reserve of a budget, in micro-dollars
   */
  public Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    return items.why(key, now, reserves);
  }

  /**
   * Items that wait for a session, in the order in which runners claim them; those that a pause, a
   * cap of their scope or a budget holds up are last.
   *
   * @param most of them
   */
  public List<WaitingRow> next(int most, Instant now, Map<String, Long> reserves) {
    return items.next(most, now, reserves);
  }

  /** An item's newest analysis. */
  public Optional<Analysis> analysis(String key) {
    return sql.first(
        row -> RecordJson.read(row.getString(1), Analysis.class),
        "SELECT json FROM analysis WHERE item = ?",
        key);
  }

  /**
   * Ended sessions, newest first.
   *
   * @param after the session after which the page begins; null for the newest
   */
  public List<EndedSession> ended(int limit, @Nullable String after) {
    return sql.list(
        EndedSession.class,
        "SELECT * FROM ended WHERE ?1 IS NULL OR (ended_at, session) < (SELECT ended_at, session"
            + " FROM ended WHERE session = ?1) ORDER BY ended_at DESC, session DESC LIMIT ?2",
        after,
        limit);
  }

  /** The ended sessions of an item, newest first. */
  public List<EndedSession> endedOf(String item) {
    return sql.list(
        EndedSession.class, "SELECT * FROM ended WHERE item = ? ORDER BY ended_at DESC", item);
  }

  /** The sessions that ended at or after this time; only sessions that are still kept. */
  public SessionTotals totals(Instant since) {
    Map<String, Long> ended =
        ProjectionFile.counts(
            sql,
            "SELECT outcome, count(*) FROM session WHERE ended_at >= ? GROUP BY outcome",
            since);
    return sql.first(
            row -> new SessionTotals(ended, row.getLong(1), row.getLong(2)),
            "SELECT CAST(coalesce(avg(running_ms), 0) AS INTEGER), coalesce(sum(cost_micros), 0)"
                + " FROM session WHERE ended_at >= ?",
            since)
        .orElseThrow();
  }

  /**
   * Sessions whose id begins with this text; at most two, which is enough to see that it is
   * ambiguous.
   */
  public List<KnownSession> sessions(String prefix) {
    return sql.list(
        KnownSession.class,
        "SELECT * FROM known_session WHERE substr(session, 1, length(?1)) = ?1 LIMIT 2",
        prefix);
  }

  /** An item's live session, or the one that was claimed last; empty if there is none. */
  public Optional<KnownSession> newestSession(String item) {
    return sql.first(
        KnownSession.class,
        "SELECT * FROM known_session WHERE item = ? ORDER BY live DESC, first_event DESC LIMIT 1",
        item);
  }

  /**
   * Windows of the metrics topic, oldest first; each tenant has separate ones.
   *
   * @param size {@code 1m} or {@code 1h}
   * @param since the earliest start
   */
  public List<MetricWindow> windows(String size, Instant since) {
    return sql.list(
        row -> RecordJson.read(row.getString(1), MetricWindow.class),
        "SELECT json FROM metric_window WHERE size = ? AND start >= ? ORDER BY start, tenant",
        size,
        since);
  }

  /** Every source that was polled, in order, with its newest poll. */
  public List<SourceStatus> sources() {
    return sql.list(
        row ->
            new SourceStatus(
                row.getString("source"),
                RecordJson.read(row.getString("last"), PollRow.class),
                Database.instant(row, "last_success"),
                Database.instant(row, "next"),
                row.getString("breaker"),
                row.getString("reason"),
                Database.instant(row, "failing_since")),
        "SELECT * FROM source_status ORDER BY source");
  }

  /** Items that were given up after an instant, newest first, at most 1,000. */
  List<ItemRow> givenUp(Instant after) {
    return sql.list(
        ItemRow.class,
        "SELECT * FROM item WHERE turn = ? AND updated_at > ? ORDER BY updated_at DESC LIMIT 1000",
        ItemFilter.turn("dead"),
        after);
  }

  /**
   * Polls of a source, newest first; at most 100 of each are kept.
   *
   * @param source {@code tenant/source}; null for all that the reader sees
   */
  public List<PollRow> polls(@Nullable String source, int limit) {
    return sql.list(
        row -> RecordJson.read(row.getString(1), PollRow.class),
        "SELECT json FROM poll WHERE ?1 IS NULL OR source = ?1 ORDER BY at DESC, poll DESC LIMIT"
            + " ?2",
        source,
        limit);
  }

  /**
   * Dead letters, newest first; at most 1,000 are kept, all of a month are in the topic.
   *
   * @param after the place after which the page begins; null for the newest
   */
  public List<DeadLetterRow> deadLetters(int limit, @Nullable String after) {
    return sql.list(
        DeadLetterRow.class,
        "SELECT * FROM dead_letter_row WHERE ?1 IS NULL OR (at, part, position) < (SELECT at, part,"
            + " position FROM dead_letter_row WHERE place = ?1) ORDER BY at DESC, part DESC,"
            + " position DESC LIMIT ?2",
        after,
        limit);
  }

  /**
   * What operators did, newest first: commands on items, caps, pauses and budgets.
   *
   * @param after the id after which the page begins; null for the newest
   */
  public List<OperatorAction> actions(int limit, @Nullable String after) {
    return sql.list(
        OperatorAction.class,
        "SELECT * FROM action WHERE ?1 IS NULL OR (at, id) < (SELECT at, id FROM action WHERE"
            + " id = ?1) ORDER BY at DESC, id DESC LIMIT ?2",
        after,
        limit);
  }

  /** What was spent on the UTC day of this time, the budgets, and what was saved. */
  public DaySpend spend(Instant now) {
    List<String> of =
        scope.tenants() == null
            ? List.of(Scope.GLOBAL)
            : scope.tenants().stream().map(Scope::tenant).toList();
    LedgerState ledger = ProjectionFile.ledger(sql);
    return new DaySpend(
        of.stream().mapToLong(each -> ledger.spentMicros(each, now)).sum(),
        of.stream().mapToLong(each -> ledger.spentTokens(each, now)).sum(),
        ledger.budgets(now).stream()
            .map(BudgetUse::scope)
            .filter(scope::coversFigures)
            .map(each -> DaySpend.Budget.of(each, ledger, now))
            .toList(),
        ProjectionFile.ofKind("saved:", ProjectionFile.counters(sql)));
  }

  /** The limits of a scope on a UTC day and what it spent; empty if the reader may not see it. */
  public Optional<DaySpend.Budget> budget(String of, Instant now) {
    return scope.coversFigures(of)
        ? Optional.of(DaySpend.Budget.of(of, ProjectionFile.ledger(sql), now))
        : Optional.empty();
  }

  /**
   * The caps of every scope that has one, by scope. A reader of some tenants sees those of all
   * tenants too, because they hold up its sessions, without how many run.
   */
  public List<ScopeCap> caps() {
    return ScopeCap.all(ProjectionFile.ledger(sql)).stream()
        .filter(cap -> scope.coversScope(cap.scope()))
        .map(cap -> scope.coversFigures(cap.scope()) ? cap : cap.withoutFigures())
        .toList();
  }

  /**
   * The overall figures. Of the whole program's, a reader of some tenants sees the cap and the
   * runners, but no broken invariants, because they name items.
   */
  public Summary summary() {
    ProjectionFile.Figure figure = ProjectionFile.figure(sql);
    return new Summary(
        sql.first(Integer.class, "SELECT count(*) FROM lease").orElse(0),
        ProjectionFile.meta(sql, "cap").map(Integer::valueOf).orElse(0),
        ProjectionFile.counts(
            sql, "SELECT state, sum(items) FROM item_count GROUP BY state HAVING sum(items) > 0"),
        figure.backlog(),
        figure.oldest(),
        ProjectionFile.ofKind("ended:", figure.counters()),
        figure.counters().getOrDefault("cost", 0L),
        figure.counters().getOrDefault("dead-letters", 0L),
        sql.list(Summary.Pause.class, "SELECT * FROM pause ORDER BY scope").stream()
            .filter(pause -> scope.coversScope(pause.scope()))
            .toList(),
        sql.list(Summary.Runner.class, "SELECT * FROM runner ORDER BY id"),
        scope.tenants() == null
            ? figure.broken().stream().map(BrokenInvariant::line).toList()
            : List.of(),
        ProjectionFile.meta(sql, "as-of").map(Instant::parse).orElse(null));
  }

  @Override
  public void close() {
    sql.close();
  }
}
