package dev.flyball.ops.console;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.projection.Sql;
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
import java.nio.file.Path;
import java.sql.Connection;
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

  private final Path data;
  private final Connection connection;
  private final Sql sql;

  private ConsoleView(Path data, Connection connection) {
    this.data = data;
    this.connection = connection;
    this.sql = new Sql(connection);
  }

  /** Opens the projection in a data folder; empty if no console ever ran there. */
  public static Optional<ConsoleView> open(Path data) {
    return ProjectionFile.openForReading(data).map(connection -> new ConsoleView(data, connection));
  }

  /**
   * Live sessions, longest running first: every open lease, also one whose events have not arrived
   * yet.
   *
   * @param now the time to which elapsed times are measured
   * @param limit {@code sessions.wall-clock}
   */
  public List<RunningSession> ps(Instant now, Duration limit) {
    return ask(() ->
        sql.list(
            row -> live(row, now, limit),
            "SELECT lease.session, lease.item, lease.runner, lease.attempt, lease.claimed_at,"
                + " max(lease.tokens, coalesce(session.tokens, 0)) AS tokens,"
                + " max(lease.cost_micros, coalesce(session.cost_micros, 0)) AS cost_micros, pid,"
                + " level, processes, progress_at, coalesce(hung, 0) AS hung FROM lease LEFT JOIN"
                + " session ON session.id = lease.session ORDER BY claimed_at, lease.session"));
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
   * @param reserveMicros what a claim for it would reserve of a budget, in micro-dollars
   */
  public Optional<ItemStatus> why(String key, Instant now, long reserveMicros) {
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
      LedgerState ledger =
          sql.meta("ledger")
              .map(json -> LedgerState.restore(RecordJson.read(json, LedgerSnapshot.class)))
              .orElse(LedgerState.empty());
      var asked = new WhyNotRunning(ledger, now, reserveMicros);
      return Optional.of(
          new ItemStatus(
              key,
              row.get().title(),
              row.get().state(),
              asked.reasons(
                  item, state, wanted, WaitingRequests.lost(sql, item, ledger).orElse(null))));
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
    return ask(() ->
        sql.list(
            ConsoleView::endedOf,
            "SELECT * FROM session WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?",
            limit));
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
    return ask(() ->
        sql.list(
            ConsoleView::knownOf,
            "SELECT id, item, (SELECT min(time) FROM event WHERE subject = item AND session = id)"
                + " AS since FROM (SELECT id, item FROM session UNION SELECT session, item FROM"
                + " lease) WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2",
            prefix));
  }

  /** An item's live session, or the one that was claimed last; empty if there is none. */
  public Optional<KnownSession> newestSession(String item) {
    return ask(() -> {
      Optional<String> live =
          sql.first(row -> row.getString(1), "SELECT session FROM lease WHERE item = ?", item);
      Optional<String> newest =
          live.isPresent()
              ? live
              : sql.first(
                  row -> row.getString(1),
                  "SELECT session FROM event WHERE subject = ? AND session IS NOT NULL AND type ="
                      + " ? ORDER BY id DESC LIMIT 1",
                  item,
                  EventType.SESSION_CLAIMED.type());
      return newest.flatMap(session -> sessions(session).stream().findFirst());
    });
  }

  /** When the projection last heard from Kafka; empty before. A console records this every 5 s. */
  public Optional<Instant> asOf() {
    return ask(() -> sql.meta("as-of").map(Instant::parse));
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
      String broken = sql.meta("broken").orElse("");
      return new Summary(
          sql.first(row -> row.getInt(1), "SELECT count(*) FROM lease").orElse(0),
          Integer.parseInt(sql.meta("cap").orElse("0")),
          counted("SELECT state, count(*) FROM item GROUP BY state"),
          sql.first(
                  row -> row.getLong(1),
                  "SELECT count(*) FROM item WHERE waiting_since IS NOT NULL")
              .orElse(0L),
          sql.first(
                  row -> Instant.parse(row.getString(1)),
                  "SELECT waiting_since FROM item WHERE waiting_since IS NOT NULL ORDER BY"
                      + " waiting_since LIMIT 1")
              .orElse(null),
          ended,
          counters.getOrDefault("cost", 0L),
          counters.getOrDefault("dead-letters", 0L),
          sql.list(row -> row.getString(1), "SELECT line FROM pause ORDER BY scope"),
          sql.list(ConsoleView::runnerOf, "SELECT * FROM runner ORDER BY id"),
          broken.isEmpty() ? List.of() : List.of(broken.split("\n")),
          sql.meta("as-of").map(Instant::parse).orElse(null));
    });
  }

  @Override
  public synchronized void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private Map<String, Long> counted(String query, Object... values) throws SQLException {
    var counts = new TreeMap<String, Long>();
    sql.list(row -> Map.entry(row.getString(1), row.getLong(2)), query, values)
        .forEach(count -> counts.put(count.getKey(), count.getValue()));
    return counts;
  }

  private static RunningSession live(ResultSet row, Instant now, Duration limit)
      throws SQLException {
    Instant since = Instant.parse(row.getString("claimed_at"));
    return new RunningSession(
        row.getString("session"),
        row.getString("item"),
        row.getString("runner"),
        row.getInt("attempt"),
        Sql.number(row, "pid"),
        row.getString("level"),
        Sql.number(row, "processes"),
        since,
        Math.max(0, Duration.between(since, now).toMillis()),
        limit.toMillis(),
        millis(Sql.instant(row, "progress_at")),
        row.getInt("hung") == 1,
        row.getLong("tokens"),
        row.getLong("cost_micros"));
  }

  /**
   * The time in milliseconds: runners' clocks give finer times, which are of no use to a reader.
   */
  private static @Nullable Instant millis(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.MILLIS);
  }

  private static ItemRow itemOf(ResultSet row) throws SQLException {
    return new ItemRow(
        row.getString("key"),
        row.getString("title"),
        row.getString("state"),
        row.getString("reason"),
        row.getString("revision"),
        row.getInt("priority"),
        row.getString("url"),
        Instant.parse(row.getString("updated_at")),
        Sql.instant(row, "waiting_since"),
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

  private static KnownSession knownOf(ResultSet row) throws SQLException {
    return new KnownSession(row.getString("id"), row.getString("item"), Sql.instant(row, "since"));
  }

  private static EndedSession endedOf(ResultSet row) throws SQLException {
    return new EndedSession(
        row.getString("id"),
        row.getString("item"),
        row.getString("runner"),
        row.getString("outcome"),
        row.getString("reason"),
        Instant.parse(row.getString("ended_at")),
        row.getLong("waiting_ms"),
        row.getLong("running_ms"),
        row.getLong("tokens"),
        row.getLong("cost_micros"),
        Sql.number(row, "survivors"));
  }

  private static Summary.Runner runnerOf(ResultSet row) throws SQLException {
    return new Summary.Runner(
        row.getString("id"),
        row.getString("level"),
        row.getInt("slots"),
        row.getString("refusing"));
  }

  private synchronized <T> T ask(Question<T> question) {
    try {
      return Objects.requireNonNull(question.answer());
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private StartFailure unreadable(SQLException e) {
    return new StartFailure(
        data
            + "/console.db cannot be read: "
            + String.valueOf(e.getMessage()).replaceAll("\\s+", " ")
            + "; is the folder right and readable?",
        e);
  }

  private interface Question<T> {
    T answer() throws SQLException;
  }
}
