package dev.flyball.ops.console;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.console.view.DaySpend;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.KnownSession;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.console.view.PollRow;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.ScopeCap;
import dev.flyball.ops.console.view.SessionTotals;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the console's projection, as far as a reader may see it: the tables of the opened file hold
 * only the tenants that were given. It uses only the projection's file, so it works while the
 * console runs, after it has ended, and in another process. Any thread.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read.
 */
public final class ConsoleView implements AutoCloseable {
  private final Database sql;
  private final TenantScope scope;
  private final ItemQueries items;
  private final ItemSearch search;
  private final SessionQueries sessions;
  private final HistoryQueries history;

  private ConsoleView(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
    this.items = new ItemQueries(sql, scope);
    this.search = new ItemSearch(sql, scope);
    this.sessions = new SessionQueries(sql);
    this.history = new HistoryQueries(sql, scope);
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
    return ask(() -> sessions.live(now, limit));
  }

  /**
   * Items by state (running, queued, triaging, new, failed, dead, analyzed, skipped, cancelled,
   * closed), then by priority and key.
   */
  public List<ItemRow> items(ItemFilter filter) {
    return ask(() -> search.page(filter));
  }

  /**
   * The number of items that match, whatever the filter's limit and place. It is counted up to
   * {@link ItemFilter#COUNTED}; one more than that means "more".
   */
  public long count(ItemFilter filter) {
    var all =
        new ItemFilter(filter.state(), filter.tenant(), filter.source(), filter.text(), null, 1);
    return ask(() -> search.count(all));
  }

  /** The name of an item's state; empty if nothing is known under this key. */
  public Optional<String> state(String key) {
    return ask(() -> items.state(key));
  }

  /** The keys of the items that end with this id, in order. */
  public List<String> keysOf(String id) {
    return ask(() -> search.keysOf(id));
  }

  /** One item with its timeline; empty if nothing is known under this key. */
  public Optional<ItemStory> item(String key) {
    return ask(() -> items.story(key));
  }

  /**
   * Why an item is not running, or that it runs, or how it ended; empty if no item has this key.
   *
   * @param now the time to which pauses and runners' silence are measured
   * @param reserves what a claim of each profile would reserve of a budget, in micro-dollars
   */
  public Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    return ask(() -> items.why(key, now, reserves));
  }

  /**
   * Items that wait for a session, in the order in which runners claim them; those that a pause, a
   * cap of their scope or a budget holds up are last.
   *
   * @param most of them
   */
  public List<ItemRow> next(int most, Instant now, Map<String, Long> reserves) {
    return ask(() -> items.next(most, now, reserves));
  }

  /** An item's newest analysis. */
  public Optional<Analysis> analysis(String key) {
    return ask(() ->
        sql.first(
            row -> RecordJson.read(row.getString(1), Analysis.class),
            "SELECT json FROM analysis WHERE item = ?",
            key));
  }

  /** Ended sessions, newest first. */
  public List<EndedSession> ended(int limit) {
    return ended(limit, null);
  }

  /**
   * Ended sessions, newest first.
   *
   * @param after the session after which the page begins; null for the newest
   */
  public List<EndedSession> ended(int limit, @Nullable String after) {
    return ask(() -> sessions.ended(limit, after));
  }

  /** Sessions that ended at or after this time, by outcome; only sessions that are still kept. */
  public Map<String, Long> endedSince(Instant since) {
    return totals(since).ended();
  }

  /** The sessions that ended at or after this time; only sessions that are still kept. */
  public SessionTotals totals(Instant since) {
    return ask(() -> sessions.totals(since));
  }

  /**
   * Sessions whose id begins with this text; at most two, which is enough to see that it is
   * ambiguous.
   */
  public List<KnownSession> sessions(String prefix) {
    return ask(() -> sessions.beginningWith(prefix));
  }

  /** An item's live session, or the one that was claimed last; empty if there is none. */
  public Optional<KnownSession> newestSession(String item) {
    return ask(() -> sessions.newestOf(item));
  }

  /**
   * Windows of the metrics topic, oldest first; each tenant has separate ones.
   *
   * @param tenant null for all that the reader sees
   * @param size {@code 1m} or {@code 1h}
   * @param since the earliest start
   */
  public List<MetricWindow> windows(@Nullable String tenant, String size, Instant since) {
    return ask(() -> history.windows(tenant, size, since));
  }

  /** Every source that was polled, in order. */
  public List<SourceStatus> sources() {
    return ask(history::sources);
  }

  /**
   * Polls of a source, newest first; at most 100 of each are kept.
   *
   * @param source {@code tenant/source}; null for all that the reader sees
   */
  public List<PollRow> polls(@Nullable String source, int limit) {
    return ask(() -> history.polls(source, limit));
  }

  /**
   * Dead letters, newest first; at most 1,000 are kept, all of a month are in the topic.
   *
   * @param after the place after which the page begins; null for the newest
   */
  public List<DeadLetterRow> deadLetters(int limit, @Nullable String after) {
    return ask(() -> history.deadLetters(limit, after));
  }

  /**
   * What operators did, newest first: commands on items, caps, pauses and budgets.
   *
   * @param after the id after which the page begins; null for the newest
   */
  public List<OperatorAction> actions(int limit, @Nullable String after) {
    return ask(() -> history.actions(limit, after));
  }

  /** What was spent on the UTC day of this time, the budgets, and what was saved. */
  public DaySpend spend(Instant now) {
    return ask(() -> history.spend(now));
  }

  /**
   * The caps of every scope that has one, by scope. A reader of some tenants sees those of all
   * tenants too, because they hold up its sessions, without how many run.
   */
  public List<ScopeCap> caps() {
    return ask(history::caps);
  }

  /** When the projection last heard from Kafka; empty before. A console records this every 5 s. */
  public Optional<Instant> asOf() {
    return ask(() -> ProjectionFile.meta(sql, "as-of").map(Instant::parse));
  }

  /**
   * The overall figures. Of the whole program's, a reader of some tenants sees the cap and the
   * runners, but no broken invariants, because they name items.
   */
  public Summary summary() {
    return ask(this::figures);
  }

  @Override
  public synchronized void close() {
    try {
      sql.close();
    } catch (SQLException e) {
      throw ProjectionFile.unusable(e);
    }
  }

  private synchronized <T> T ask(Database.Work<T> question) {
    try {
      return Objects.requireNonNull(question.run());
    } catch (SQLException e) {
      throw ProjectionFile.unusable(e);
    }
  }

  /** Reads the overall figures, from tables that are small however many items there are. */
  private Summary figures() throws SQLException {
    SortedMap<String, Long> counters = ProjectionFile.counters(sql);
    return new Summary(
        sql.first(row -> row.getInt(1), "SELECT count(*) FROM lease").orElse(0),
        ProjectionFile.meta(sql, "cap").map(Integer::valueOf).orElse(0),
        ProjectionFile.counts(
            sql, "SELECT state, sum(items) FROM item_count GROUP BY state HAVING sum(items) > 0"),
        ProjectionFile.backlog(sql),
        ProjectionFile.oldest(sql).orElse(null),
        ProjectionFile.ofKind("ended:", counters),
        counters.getOrDefault("cost", 0L),
        counters.getOrDefault("dead-letters", 0L),
        sql.list(Rows.of(Summary.Pause.class), "SELECT * FROM pause ORDER BY scope").stream()
            .filter(pause -> scope.coversScope(pause.scope()))
            .toList(),
        sql.list(Rows.of(Summary.Runner.class), "SELECT * FROM runner ORDER BY id"),
        scope.tenants() == null
            ? ProjectionFile.broken(sql).stream().map(BrokenInvariant::line).toList()
            : List.of(),
        ProjectionFile.meta(sql, "as-of").map(Instant::parse).orElse(null));
  }
}
