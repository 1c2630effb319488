package dev.flyball.producer.history;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.telemetry.StartFailure;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The producer's SQLite file: a local copy of what is known at the committed cursors, and the
 * history of polls. Losing it loses no work: the cursor in poll-state is the authority. Safe for
 * several threads, one at a time.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read or written.
 */
public final class PollHistory implements AutoCloseable {
  private final Path file;
  private final Connection connection;
  private final Statements statements;
  private final KnownRows known;
  private final RunRows runs;

  private PollHistory(Path file, Connection connection) {
    this.file = file;
    this.connection = connection;
    this.statements = new Statements(connection);
    this.known = new KnownRows(connection);
    this.runs = new RunRows(statements);
  }

  /** Opens the file, making or migrating it. */
  public static PollHistory open(Path file) {
    return new PollHistory(file, HistoryFile.open(file));
  }

  /** Opens the file for reading only; empty if there is none. */
  public static Optional<PollHistory> openForReading(Path file) {
    return HistoryFile.openForReading(file).map(connection -> new PollHistory(file, connection));
  }

  /**
   * Whether this file holds the copy of this committed cursor; not if the file was lost or copied,
   * or another producer polled since. What was staged for this very cursor is promoted first: its
   * transaction was committed and this process died before it could record that.
   */
  public synchronized boolean isAt(String source, @Nullable String cursor) {
    return attempt(() -> standsAt(source, cursor));
  }

  /**
   * What was published of these items at this committed cursor; empty if this file does not know,
   * as {@link #isAt} says.
   */
  public synchronized Optional<LocalCopy> copyAt(
      String source, @Nullable String cursor, Collection<ItemKey> items) {
    return attempt(() ->
        standsAt(source, cursor)
            ? Optional.of(new LocalCopy(known.of(source, items), invalidOf(source)))
            : Optional.empty());
  }

  /** The newest copy, whatever poll-state says: for a dry run, which asks no broker. */
  public synchronized Optional<LocalCopy> newestCopy(String source, Collection<ItemKey> items) {
    return attempt(() ->
        cursorIn("source", source) == null
            ? Optional.empty()
            : Optional.of(new LocalCopy(known.of(source, items), invalidOf(source))));
  }

  /** The cursor of {@link #newestCopy}; empty if this file holds none. */
  public synchronized Optional<String> newestCursor(String source) {
    return attempt(() -> Optional.ofNullable(cursorIn("source", source)));
  }

  private boolean standsAt(String source, @Nullable String cursor) throws SQLException {
    if (cursor != null && cursor.equals(cursorIn("staged_source", source))) {
      promoteStaged(source);
    }
    return cursor != null && cursor.equals(cursorIn("source", source));
  }

  /**
   * Records what will be known if the transaction that carries this cursor is committed.
   *
   * @param whole whether the changes replace the copy, because the existing copy is not valid
   */
  public synchronized void stage(String source, String cursor, LocalCopy changes, boolean whole) {
    attempt(() -> {
      clearStaged(source);
      putSource("staged_source", source, cursor, changes.invalid());
      statements.update("UPDATE staged_source SET whole = ? WHERE key = ?", whole ? 1 : 0, source);
      known.put("staged", source, changes.known());
      return done();
    });
  }

  /** The transaction was committed: what was staged becomes known. */
  public synchronized void promote(String source) {
    attempt(() -> {
      promoteStaged(source);
      return done();
    });
  }

  /** Replaces the whole copy of a source. */
  public synchronized void replace(String source, String cursor, LocalCopy copy) {
    attempt(() -> {
      clearStaged(source);
      statements.update("DELETE FROM known WHERE source = ?", source);
      putSource("source", source, cursor, copy.invalid());
      known.put("known", source, copy.known());
      return done();
    });
  }

  /** How far a source's waiting items were checked again; empty if they never were. */
  public synchronized Optional<RevisitMark> revisited(String source) {
    return attempt(() -> {
      String began = statements.one("SELECT began FROM revisit WHERE source = ?", source);
      String last = statements.one("SELECT last FROM revisit WHERE source = ?", source);
      return Optional.ofNullable(began)
          .map(at -> new RevisitMark(Instant.parse(at), last == null ? null : ItemKey.parse(last)));
    });
  }

  /** Records how far a source's waiting items were checked again. */
  public synchronized void revisit(String source, RevisitMark mark) {
    attempt(() -> {
      statements.update(
          "INSERT OR REPLACE INTO revisit (source, began, last) VALUES (?, ?, ?)",
          source,
          mark.began().toString(),
          mark.last() == null ? null : mark.last().toString());
      return done();
    });
  }

  /** Adds a poll to the history; the newest thousand of each source are kept. */
  public synchronized void add(PollRun run) {
    attempt(() -> {
      runs.add(run);
      return done();
    });
  }

  /** The newest polls of a source, newest first. */
  public synchronized List<PollRun> runs(String source, int limit) {
    return attempt(() -> runs.of(source, limit));
  }

  /** The newest polls of all sources, newest first. */
  public synchronized List<PollRun> runs(int limit) {
    return attempt(() -> runs.all(limit));
  }

  /** When the newest successful poll of a source ended; empty if there is none. */
  public synchronized Optional<Instant> lastSuccess(String source) {
    return attempt(() -> runs.lastSuccess(source));
  }

  @Override
  public synchronized void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  private void promoteStaged(String source) throws SQLException {
    statements.update(
        "DELETE FROM known WHERE source = ?1 AND EXISTS (SELECT 1 FROM staged_source WHERE key = ?1"
            + " AND whole = 1)",
        source);
    statements.update(
        "INSERT OR REPLACE INTO known (source, item, digests, version, hash, changed)"
            + " SELECT source, item, digests, version, hash, changed FROM staged WHERE source = ?",
        source);
    statements.update(
        "INSERT OR REPLACE INTO source SELECT key, cursor, invalid FROM staged_source WHERE key ="
            + " ?",
        source);
    clearStaged(source);
  }

  private void clearStaged(String source) throws SQLException {
    statements.update("DELETE FROM staged WHERE source = ?", source);
    statements.update("DELETE FROM staged_source WHERE key = ?", source);
  }

  private @Nullable String cursorIn(String table, String source) throws SQLException {
    return statements.one("SELECT cursor FROM " + table + " WHERE key = ?", source);
  }

  private Set<String> invalidOf(String source) throws SQLException {
    String digests = statements.one("SELECT invalid FROM source WHERE key = ?", source);
    return digests == null || digests.isEmpty() ? Set.of() : Set.of(digests.split(" "));
  }

  private void putSource(String table, String source, String cursor, Set<String> invalid)
      throws SQLException {
    statements.update(
        "INSERT OR REPLACE INTO " + table + " (key, cursor, invalid) VALUES (?, ?, ?)",
        source,
        cursor,
        String.join(" ", invalid));
  }

  /** Runs work in one transaction: all or nothing. */
  private <T> T attempt(Work<T> work) {
    try {
      T result = work.run();
      connection.commit();
      return result;
    } catch (SQLException e) {
      try {
        connection.rollback();
      } catch (SQLException again) {
        e.addSuppressed(again);
      }
      throw unusable(e);
    }
  }

  private StartFailure unusable(SQLException e) {
    return HistoryFile.unusable(file, e);
  }

  private static Boolean done() {
    return Boolean.TRUE;
  }

  private interface Work<T> {
    T run() throws SQLException;
  }
}
