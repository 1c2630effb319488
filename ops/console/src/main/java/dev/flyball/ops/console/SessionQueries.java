package dev.flyball.ops.console;

import dev.flyball.contract.event.EventType;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.KnownSession;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
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
            + " level, processes, progress_at, coalesce(hung, 0) AS hung FROM lease LEFT JOIN"
            + " session ON session.id = lease.session ORDER BY claimed_at, lease.session");
  }

  /** Newest first. */
  List<EndedSession> ended(int limit) throws SQLException {
    return sql.list(
        SessionQueries::endedOf,
        "SELECT * FROM session WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?",
        limit);
  }

  /** See {@link ConsoleView#sessions}. */
  List<KnownSession> beginningWith(String prefix) throws SQLException {
    return sql.list(
        SessionQueries::knownOf,
        "SELECT id, item, (SELECT min(time) FROM event WHERE subject = item AND session = id)"
            + " AS since FROM (SELECT id, item FROM session UNION SELECT session, item FROM"
            + " lease) WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2",
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
        limit.toMillis(),
        millis(Database.instant(row, "progress_at")),
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

  private static KnownSession knownOf(ResultSet row) throws SQLException {
    return new KnownSession(
        row.getString("id"), row.getString("item"), Database.instant(row, "since"));
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
        Database.number(row, "survivors"));
  }
}
