package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.projection.WaitingRequests;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.KnownSession;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WhyNotRunning;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the console's projection. It uses only the projection's file, so it works while the console
 * runs, after it has ended, and in another process. Any thread.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read.
 */
public final class ConsoleView implements AutoCloseable {
  /** The condition of an {@link ItemFilter}: its state, tenant and text, in this order. */
  private static final String MATCHES =
      "(?1 IS NULL OR state = ?1) AND (?2 IS NULL OR tenant = ?2) AND (?3 IS NULL OR"
          + " instr(lower(key), lower(?3)) > 0 OR instr(lower(title), lower(?3)) > 0)";

  private final Database sql;
  private final SessionQueries sessions;

  private ConsoleView(Database sql) {
    this.sql = sql;
    this.sessions = new SessionQueries(sql);
  }

  /** Opens the projection in a data folder; empty if no console ever ran there. */
  public static Optional<ConsoleView> open(Path data) {
    return ProjectionFile.openForReading(data).map(ConsoleView::new);
  }

  /**
   * Live sessions, longest running first: every open lease, also one whose events have not arrived
   * yet.
   *
   * @param now the time to which elapsed times are measured
   * @param limit {@code sessions.wall-clock}
   */
  public List<RunningSession> ps(Instant now, Duration limit) {
    return ask(() -> sessions.live(now, limit));
  }

  /**
   * Items by state (running, queued, triaging, new, failed, dead, analyzed, then all others), then
   * by priority and key.
   */
  public List<ItemRow> items(ItemFilter filter) {
    return ask(() ->
        sql.list(
            ConsoleView::itemOf,
            "SELECT * FROM item WHERE "
                + MATCHES
                + " ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'queued' THEN 1"
                + " WHEN 'triaging' THEN 2 WHEN 'new' THEN 3 WHEN 'failed' THEN 4 WHEN 'dead' THEN"
                + " 5 WHEN 'analyzed' THEN 6 ELSE 7 END, priority, key LIMIT ?4",
            filter.state(),
            filter.tenant(),
            filter.text(),
            filter.limit()));
  }

  /** The number of items that match, whatever the filter's limit. */
  public long count(ItemFilter filter) {
    return ask(() ->
        sql.first(
                row -> row.getLong(1),
                "SELECT count(*) FROM item WHERE " + MATCHES,
                filter.state(),
                filter.tenant(),
                filter.text())
            .orElse(0L));
  }

  /** The name of an item's state; empty if nothing is known under this key. */
  public Optional<String> state(String key) {
    return ask(
        () -> sql.first(row -> row.getString(1), "SELECT state FROM item WHERE key = ?", key));
  }

  /** The keys of the items that end with this id, in order. */
  public List<String> keysOf(String id) {
    return ask(() ->
        sql.list(
            row -> row.getString(1),
            "SELECT key FROM item WHERE substr(key, -length(?1) - 1) = '/' || ?1 ORDER BY key",
            id));
  }

  /** One item with its timeline; empty if nothing is known under this key. */
  public Optional<ItemStory> item(String key) {
    return ask(() -> {
      var events =
          sql.list(ConsoleView::eventOf, "SELECT * FROM event WHERE subject = ? ORDER BY id", key);
      var row = sql.first(ConsoleView::itemOf, "SELECT * FROM item WHERE key = ?", key);
      var state =
          sql.first(
              found -> RecordJson.parse(found.getString(1)),
              "SELECT json FROM item WHERE key = ?",
              key);
      return events.isEmpty() && row.isEmpty()
          ? Optional.empty()
          : Optional.of(new ItemStory(row.orElse(null), state.orElse(null), events));
    });
  }

  /**
   * Why an item is not running, or that it runs, or how it ended; empty if no item has this key.
   *
   * @param now the time to which pauses and runners' silence are measured
   * @param reserves what a claim of each profile would reserve of a budget, in micro-dollars
   */
  public Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    return ask(() -> {
      var row = sql.first(ConsoleView::itemOf, "SELECT * FROM item WHERE key = ?", key);
      if (row.isEmpty()) {
        return Optional.empty();
      }
      ItemState state =
          sql.first(
                  found -> RecordJson.read(found.getString(1), ItemState.class),
                  "SELECT json FROM item WHERE key = ?",
                  key)
              .orElseThrow();
      ItemKey item = ItemKey.parse(key);
      WaitingRequest wanted = WaitingRequests.of(sql, item).orElse(null);
      LedgerState ledger = ProjectionFile.ledger(sql);
      var asked = new WhyNotRunning(ledger, now, reserves);
      List<ItemStatus.Reason> reasons =
          asked.reasons(item, state, wanted, WaitingRequests.lost(sql, item, ledger).orElse(null));
      Route route = WhyNotRunning.route(state.phase());
      return Optional.of(
          new ItemStatus(
              key,
              row.get().title(),
              row.get().state(),
              reasons,
              route == null ? null : route.profile(),
              route == null ? null : route.by()));
    });
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
    return ask(() -> sessions.ended(limit));
  }

  /** Sessions that ended at or after this time, by outcome; only sessions that are still kept. */
  public Map<String, Long> endedSince(Instant since) {
    return ask(() ->
        counted(
            "SELECT outcome, count(*) FROM session WHERE ended_at >= ? GROUP BY outcome", since));
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
   * Windows of the metrics topic, oldest first.
   *
   * @param tenant null for all tenants, each in a separate window
   * @param size {@code 1m} or {@code 1h}
   * @param since the earliest start
   */
  public List<MetricWindow> windows(@Nullable String tenant, String size, Instant since) {
    return ask(() ->
        sql.list(
            row -> RecordJson.read(row.getString(1), MetricWindow.class),
            "SELECT json FROM metric_window WHERE size = ?1 AND start >= ?2 AND (?3 IS NULL OR"
                + " tenant = ?3) ORDER BY start, tenant",
            size,
            since,
            tenant));
  }

  /** When the projection last heard from Kafka; empty before. A console records this every 5 s. */
  public Optional<Instant> asOf() {
    return ask(() -> ProjectionFile.meta(sql, "as-of").map(Instant::parse));
  }

  /** The overall figures. */
  public Summary summary() {
    return ask(() -> {
      Map<String, Long> counters = counted("SELECT name, value FROM counter");
      var ended = new TreeMap<String, Long>();
      counters.forEach((name, value) -> {
        if (name.startsWith("ended:")) {
          ended.put(name.substring("ended:".length()), value);
        }
      });
      return new Summary(
          sql.first(row -> row.getInt(1), "SELECT count(*) FROM lease").orElse(0),
          Integer.parseInt(ProjectionFile.meta(sql, "cap").orElse("0")),
          counted("SELECT state, count(*) FROM item GROUP BY state"),
          ProjectionFile.backlog(sql),
          ProjectionFile.oldest(sql).orElse(null),
          ended,
          counters.getOrDefault("cost", 0L),
          counters.getOrDefault("dead-letters", 0L),
          sql.list(row -> row.getString(1), "SELECT line FROM pause ORDER BY scope"),
          sql.list(ConsoleView::runnerOf, "SELECT * FROM runner ORDER BY id"),
          ProjectionFile.broken(sql),
          ProjectionFile.meta(sql, "as-of").map(Instant::parse).orElse(null));
    });
  }

  @Override
  public synchronized void close() {
    try {
      sql.close();
    } catch (SQLException e) {
      throw ProjectionFile.unusable(e);
    }
  }

  private Map<String, Long> counted(String query, Object... values) throws SQLException {
    var counts = new TreeMap<String, Long>();
    sql.list(row -> Map.entry(row.getString(1), row.getLong(2)), query, values)
        .forEach(count -> counts.put(count.getKey(), count.getValue()));
    return counts;
  }

  static ItemRow itemOf(ResultSet row) throws SQLException {
    return new ItemRow(
        row.getString("key"),
        row.getString("title"),
        row.getString("state"),
        row.getString("reason"),
        row.getString("revision"),
        row.getInt("priority"),
        row.getString("url"),
        Instant.parse(row.getString("updated_at")),
        Database.instant(row, "waiting_since"),
        row.getLong("spent_micros"));
  }

  private static ItemStory.Event eventOf(ResultSet row) throws SQLException {
    return new ItemStory.Event(
        Instant.parse(row.getString("time")).truncatedTo(ChronoUnit.MILLIS),
        row.getString("type"),
        row.getString("source"),
        row.getString("session"),
        RecordJson.parse(row.getString("data")));
  }

  private static Summary.Runner runnerOf(ResultSet row) throws SQLException {
    return new Summary.Runner(
        row.getString("id"),
        row.getString("level"),
        row.getInt("slots"),
        row.getString("refusing"));
  }

  private synchronized <T> T ask(Database.Work<T> question) {
    try {
      return Objects.requireNonNull(question.run());
    } catch (SQLException e) {
      throw ProjectionFile.unusable(e);
    }
  }
}
