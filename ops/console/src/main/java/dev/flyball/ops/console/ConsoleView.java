package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.projection.WaitingRequests;
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
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.WaitingRow;
import dev.flyball.ops.console.why.ItemStatus.Word;
import dev.flyball.ops.console.why.WhyNotRunning;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the console's projection, as far as a reader may see it: the tables of the opened file hold
 * only the tenants that were given. It uses only the projection's file, so it works while the
 * console runs, after it has ended, and in another process. A list of items in its order follows an
 * index; a text is compared with every item, which takes half a second for a million of them. One
 * thread at a time.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read.
 */
public final class ConsoleView implements AutoCloseable {
  /** Most waiting requests of one source of which the next ones are chosen. */
  private static final int OF_A_SOURCE = 200;

  private final Database sql;
  private final TenantScope scope;

  ConsoleView(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
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
    var matching = new Matching(filter, scope);
    if (filter.after() != null) {
      String[] place = filter.after().split("\\.", 3);
      matching.and(
          "(turn, priority, sorted) > (?, ?, ?)",
          Integer.valueOf(place[0]),
          Integer.valueOf(place[1]),
          ItemFilter.sorted(place[2]));
    }
    return sql.list(
        ItemRow.class,
        "SELECT * " + matching.from + " ORDER BY turn, priority, sorted LIMIT " + filter.limit(),
        matching.values.toArray());
  }

  /**
   * The number of items that match, whatever the filter's limit and place. It is counted up to
   * {@link ItemFilter#COUNTED}; one more than that means "more".
   */
  public long count(ItemFilter filter) {
    int most = ItemFilter.COUNTED + 1;
    if (filter.source() == null && filter.parts().isEmpty()) {
      return number(
          "SELECT min(?1, coalesce(sum(items), 0)) FROM item_count WHERE (?2 IS NULL OR tenant ="
              + " ?2) AND (?3 IS NULL OR state = ?3)",
          most,
          filter.tenant(),
          filter.state());
    }
    var matching = new Matching(filter, scope);
    return number(
        "SELECT count(*) FROM (SELECT 1 " + matching.from + " LIMIT " + most + ")",
        matching.values.toArray());
  }

  private long number(String query, @Nullable Object... values) {
    return sql.first(Long.class, query, values).orElseThrow();
  }

  /** The tables and the condition of a filter, without its place, and the condition's values. */
  private static final class Matching {
    private final List<Object> values = new ArrayList<>();
    private String from;

    Matching(ItemFilter filter, TenantScope scope) {
      String source = filter.source();
      boolean named = source != null && source.indexOf('/') < 0;
      if (named || !filter.parts().isEmpty()) {
        // In the order of an index, the rows lie all over the file. The whole table is named here,
        // because a view of some tenants' rows has no such hint.
        from = "FROM main.item NOT INDEXED WHERE 1";
        if (scope.tenants() != null) {
          and("tenant IN (SELECT value FROM json_each(?))", RecordJson.write(scope.tenants()));
        }
      } else {
        from = "FROM item WHERE 1";
      }
      if (filter.tenant() != null) {
        and("tenant = ?", filter.tenant());
      }
      if (source != null) {
        and(named ? "substr(source, instr(source, '/') + 1) = ?" : "source = ?", source);
      }
      if (filter.state() != null) {
        and("turn = ?", ItemFilter.turn(filter.state()));
      }
      for (String part : filter.parts()) {
        and("instr(text, ?) > 0", part);
      }
    }

    private void and(String condition, Object... of) {
      from += " AND " + condition;
      values.addAll(List.of(of));
    }
  }

  /** The keys of the items that end with this id, in order. */
  public List<String> keysOf(String id) {
    return id.isEmpty()
        ? List.of()
        : sql.list(
            String.class,
            "SELECT key FROM item WHERE substr(key, -length(?1) - 1) = '/' || ?1 ORDER BY sorted",
            id);
  }

  /** One item with its timeline; empty if nothing is known under this key. */
  public Optional<ItemStory> item(String key) {
    var events =
        sql.list(
            row ->
                new ItemStory.Event(
                    Instant.parse(row.getString("at") + "Z"),
                    row.getString("type"),
                    row.getString("source"),
                    row.getString("session"),
                    RecordJson.parse(row.getString("data"))),
            "SELECT * FROM timeline WHERE subject = ? ORDER BY after, step, at, id",
            key);
    var row = row(key);
    return events.isEmpty() && row.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ItemStory(
                row.orElse(null), state(key).map(RecordJson::parse).orElse(null), events));
  }

  private Optional<ItemRow> row(String key) {
    return sql.first(ItemRow.class, "SELECT * FROM item WHERE key = ?", key);
  }

  private Optional<String> state(String key) {
    return sql.first(String.class, "SELECT json FROM item_state WHERE key = ?", key);
  }

  /**
   * Why an item is not running, or that it runs, or how it ended; empty if no item has this key.
   *
   * @param now the time to which pauses and runners' silence are measured
   * @param reserves what a claim of each profile would reserve of a budget, in micro-dollars
   */
  public Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    return row(key).map(row -> why(row, judge(now, reserves)));
  }

  /** Restores the ledger, which takes long for a large one: once for all items of an answer. */
  private WhyNotRunning judge(Instant now, Map<String, Long> reserves) {
    return new WhyNotRunning(ProjectionFile.ledger(sql), now, reserves);
  }

  private ItemStatus why(ItemRow row, WhyNotRunning judge) {
    var item = ItemKey.parse(row.key());
    var state = RecordJson.read(state(row.key()).orElseThrow(), ItemState.class);
    List<Reason> reasons =
        live(row.key())
            .map(List::of)
            .orElseGet(() ->
                judge.reasons(
                    item,
                    state,
                    WaitingRequests.of(sql, item).orElse(null),
                    WaitingRequests.lost(sql, item, judge.ledger()).orElse(null)));
    Route route = WhyNotRunning.route(state.phase());
    return new ItemStatus(
        row.key(),
        row.title(),
        row.state(),
        reasons.stream().map(this::seen).toList(),
        route == null ? null : route.profile(),
        route == null ? null : route.by());
  }

  /**
   * The session that an item has now. The table of leases follows each ledger entry; the ledger's
   * state is stored at most once a second, so a claim would be missing from it for that long.
   */
  private Optional<Reason> live(String key) {
    return sql.first(
        row ->
            WhyNotRunning.runs(
                row.getString("session"),
                row.getString("runner"),
                Instant.parse(row.getString("claimed_at")),
                row.getInt("attempt")),
        "SELECT session, runner, claimed_at, attempt FROM lease WHERE item = ?",
        key);
  }

  /** What global, providers and runners have in use is the sum of all tenants. */
  private Reason seen(Reason reason) {
    boolean shared = reason.scope() == null || Scope.tenantOf(reason.scope()).isEmpty();
    return scope.tenants() != null && shared ? reason.withoutFigures() : reason;
  }

  /**
   * Items that wait for a session, in the order in which runners claim them ({@code
   * runner.queue.RequestIndex}): of the tenant with the fewest live sessions, then of the one that
   * was served longest ago, and within a tenant by turn; a tenant that has more sessions follows
   * when the others have as many. Those that a pause, a cap of their scope or a budget holds up are
   * last.
   *
   * @param most of them
   */
  public List<WaitingRow> next(int most, Instant now, Map<String, Long> reserves) {
    WhyNotRunning judge = judge(now, reserves);
    var held = new HashMap<String, Boolean>();
    var choice = new ArrayList<List<Object>>();
    for (Waiting each : waiting()) {
      boolean isHeld =
          held.computeIfAbsent(
              each.lane,
              _ ->
                  row(each.item).stream()
                      .flatMap(row -> why(row, judge).reasons().stream())
                      .anyMatch(ConsoleView::holdsUp));
      choice.add(List.of(each.item, isHeld ? 1 : 0));
    }
    return sql
        .list(
            ItemRow.class,
            "WITH chosen AS (SELECT waiting.*, value ->> 1 AS held FROM json_each(?1) JOIN waiting"
                + " ON item = value ->> 0) SELECT item.* FROM chosen JOIN tenant_load USING"
                + " (tenant) JOIN item ON item.key = chosen.item WINDOW mine AS (PARTITION BY held,"
                + " chosen.tenant ORDER BY chosen.turn) ORDER BY held, row_number() OVER mine +"
                + " live, live DESC, served, first_value(chosen.turn) OVER mine LIMIT ?2",
            RecordJson.write(choice),
            most)
        .stream()
        .map(row -> new WaitingRow(row, why(row, judge).reasons()))
        // The ledger is ahead of the item's state: its session is among the live ones already.
        .filter(it -> it.reasons().stream().noneMatch(reason -> reason.reason() == Word.RUNS))
        .toList();
  }

  /**
   * A waiting item.
   *
   * @param lane its source, provider and profile
   */
  private record Waiting(String item, String lane) {}

  /** What waits, of each source the first ones. */
  private List<Waiting> waiting() {
    return sql.list(
        Waiting.class,
        "SELECT item, lane FROM (SELECT DISTINCT source AS one FROM request) JOIN waiting ON item"
            + " IN (SELECT item FROM waiting WHERE source = one ORDER BY turn LIMIT ?)",
        OF_A_SOURCE);
  }

  private static boolean holdsUp(Reason reason) {
    return switch (reason.reason()) {
      case AT_CAP -> !Scope.GLOBAL.equals(reason.scope());
      case PAUSED, PROVIDER, BUDGET, NO_PROFILE, REQUESTS_LOST, UNKNOWN_RULES -> true;
      default -> false;
    };
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

  /** Sessions whose id begins with this; at most two, enough to see that it is ambiguous. */
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
