package dev.flyball.ops.console;

import dev.flyball.contract.event.EventType;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.KnownSession;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.view.SessionTotals;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the projection knows of sessions. One thread at a time. */
final class SessionQueries {
  private final Database sql;

  SessionQueries(Database sql) {
    this.sql = sql;
  }

  /** See {@link ConsoleView#ps}. */
  List<RunningSession> live(Instant now, Duration limit) throws SQLException {
    return sql.list(
        row -> live(row, now, limit),
        "SELECT lease.session, lease.item, lease.runner, lease.attempt, lease.claimed_at,"
            + " max(lease.tokens, coalesce(session.tokens, 0)) AS tokens,"
            + " max(lease.cost_micros, coalesce(session.cost_micros, 0)) AS cost_micros, pid,"
            + " level, processes, progress_at, coalesce(hung, 0) AS hung, limit_ms, item.title"
            + " FROM lease"
            + " LEFT JOIN session ON session.id = lease.session LEFT JOIN item ON item.key ="
            + " lease.item ORDER BY claimed_at, lease.session");
  }

  /** See {@link ConsoleView#ended(int, String)}. */
  List<EndedSession> ended(int limit, @Nullable String after) throws SQLException {
    return sql.list(
        Rows.of(EndedSession.class),
        "SELECT session.*, session.id AS session, item.title FROM session LEFT JOIN item ON"
            + " item.key = session.item WHERE ended_at IS NOT NULL AND (?1 IS NULL OR (ended_at,"
            + " session.id) < (SELECT ended_at, id FROM session WHERE id = ?1)) ORDER BY ended_at"
            + " DESC, session.id DESC LIMIT ?2",
        after,
        limit);
  }

  /** See {@link ConsoleView#totals}. */
  SessionTotals totals(Instant since) throws SQLException {
    Map<String, Long> ended =
        ProjectionFile.counts(
            sql,
            "SELECT outcome, count(*) FROM session WHERE ended_at >= ? GROUP BY outcome",
            since);
    return sql.first(
            row ->
                new SessionTotals(
                    ended,
                    row.getLong(1),
                    row.getLong(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5),
                    row.getLong(6)),
            "SELECT CAST(coalesce(avg(running_ms), 0) AS INTEGER), CAST(coalesce(avg(waiting_ms),"
                + " 0) AS INTEGER), coalesce(sum(tokens), 0), coalesce(sum(cost_micros), 0),"
                + " coalesce(max(processes_peak), 0), coalesce(sum(survivors), 0) FROM session"
                + " WHERE ended_at >= ?",
            since)
        .orElseThrow();
  }

  /** See {@link ConsoleView#sessions}. */
  List<KnownSession> beginningWith(String prefix) throws SQLException {
    return sql.list(
        Rows.of(KnownSession.class),
        "SELECT session, item, (SELECT min(time) FROM event WHERE subject = known.item AND"
            + " event.session = known.session) AS since FROM (SELECT id AS session, item FROM"
            + " session UNION SELECT session, item FROM lease) AS known WHERE substr(session, 1,"
            + " length(?1)) = ?1 LIMIT 2",
        prefix);
  }

  /** See {@link ConsoleView#newestSession}. */
  Optional<KnownSession> newestOf(String item) throws SQLException {
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
    return newest.isEmpty() ? Optional.empty() : beginningWith(newest.get()).stream().findFirst();
  }

  private static RunningSession live(ResultSet row, Instant now, Duration limit)
      throws SQLException {
    Instant since = Instant.parse(row.getString("claimed_at"));
    Long own = Database.number(row, "limit_ms");
    return new RunningSession(
        row.getString("session"),
        row.getString("item"),
        row.getString("runner"),
        row.getInt("attempt"),
        Database.number(row, "pid"),
        row.getString("level"),
        Database.number(row, "processes"),
        since,
        Math.max(0, Duration.between(since, now).toMillis()),
        own == null ? limit.toMillis() : own,
        millis(Database.instant(row, "progress_at")),
        row.getInt("hung") == 1,
        row.getLong("tokens"),
        row.getLong("cost_micros"),
        row.getString("title"));
  }

  /**
   * The time in milliseconds: runners' clocks give finer times, which are of no use to a reader.
   */
  private static @Nullable Instant millis(@Nullable Instant instant) {
    return instant == null ? null : instant.truncatedTo(ChronoUnit.MILLIS);
  }
}
