package dev.flyball.producer.history;

import dev.flyball.producer.history.PollHistory.PollRun;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The rows of polls and their results; the newest thousand of each source are kept. */
final class RunRows {
  private static final int KEPT = 1_000;

  private final Database database;

  RunRows(Database database) {
    this.database = database;
  }

  void add(PollRun run) throws SQLException {
    database.update(
        "INSERT INTO run (source, poll, started_at, ended_at, outcome, reason, lines, items,"
            + " changed, duplicates, invalid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        run.source(),
        run.poll(),
        run.startedAt().toString(),
        run.endedAt().toString(),
        run.outcome(),
        run.reason(),
        run.lines(),
        run.items(),
        run.changed(),
        run.duplicates(),
        run.invalid());
    database.update(
        "DELETE FROM run WHERE source = ?1 AND id <= (SELECT max(id) FROM run WHERE source = ?1)"
            + " - "
            + KEPT,
        run.source());
  }

  /** The newest polls of a source, newest first. */
  List<PollRun> of(String source, int limit) throws SQLException {
    return database.list(
        RunRows::run, "SELECT * FROM run WHERE source = ? ORDER BY id DESC LIMIT ?", source, limit);
  }

  /** The newest polls of all sources, newest first. */
  List<PollRun> all(int limit) throws SQLException {
    return database.list(RunRows::run, "SELECT * FROM run ORDER BY id DESC LIMIT ?", limit);
  }

  Optional<Instant> lastSuccess(String source) throws SQLException {
    return database.first(
        row -> Instant.parse(row.getString(1)),
        "SELECT ended_at FROM run WHERE source = ? AND outcome = 'finished' ORDER BY id DESC LIMIT"
            + " 1",
        source);
  }

  private static PollRun run(ResultSet row) throws SQLException {
    return new PollRun(
        row.getString("source"),
        row.getString("poll"),
        Instant.parse(row.getString("started_at")),
        Instant.parse(row.getString("ended_at")),
        row.getString("outcome"),
        row.getString("reason"),
        row.getInt("lines"),
        row.getInt("items"),
        row.getInt("changed"),
        row.getInt("duplicates"),
        row.getInt("invalid"));
  }
}
