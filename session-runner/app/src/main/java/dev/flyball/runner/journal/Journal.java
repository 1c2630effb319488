package dev.flyball.runner.journal;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The rows that let the next runner on this folder find what this one left. A row is written before
 * its process starts. One connection; all methods hold this object's monitor.
 */
public final class Journal implements AutoCloseable {
  private final Database database;

  private Journal(Database database) {
    this.database = database;
  }

  /**
   * Opens the journal, or creates it.
   *
   * @throws IOException if it cannot be read or written, or was written by a newer version; its
   *     message is one line with the fix
   */
  public static Journal open(Path dataDir) throws IOException {
    // A row outlives a killed runner, whose processes may live on. It need not outlive a power cut,
    // which no process survives. So no commit waits for the disk while other threads wait for this
    // monitor.
    return checked(() ->
        new Journal(
            Database.open(
                dataDir.resolve("journal.db"),
                Journal.class,
                "make it writable, free space, or move it away once no session of it runs")));
  }

  /**
   * Writes a row before the process starts; the session must not start if this fails.
   *
   * @throws IOException if the row cannot be written
   */
  public synchronized void opened(Row row) throws IOException {
    change(
        "INSERT INTO session (session, item, token, level, owner_pid, owner_start, boot_id,"
            + " pid_namespace, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.session(),
        row.item(),
        row.token(),
        row.level(),
        row.owner().pid(),
        row.owner().startTicks(),
        row.owner().bootId(),
        row.owner().pidNamespace(),
        row.startedAt());
  }

  /** Records that the process was started; without this a sweep still finds it by its cookie. */
  public synchronized void started(String session, Identity process) throws IOException {
    change(
        "UPDATE session SET process_pid = ?, process_start = ? WHERE session = ?",
        process.pid(),
        process.startTicks(),
        session);
  }

  /** Records that the session's tree is dead and its lease has ended. */
  public synchronized void closed(String session, long atMillis) throws IOException {
    change(
        "UPDATE session SET closed_at = ? WHERE session = ? AND closed_at IS NULL",
        atMillis,
        session);
  }

  /**
   * Deletes the row of a session about which nothing is known here. If the row were closed, the
   * session would appear as ended, and its processes, which may belong to a live runner elsewhere,
   * as strays.
   */
  public synchronized void forget(String session) throws IOException {
    change("DELETE FROM session WHERE session = ?", session);
  }

  /**
   * Deletes the sessions that were closed before this time. Their cookies then belong to no known
   * session.
   *
   * @param except sessions that are kept because one of their processes lives
   */
  public synchronized void forgetClosed(long beforeMillis, Set<String> except) throws IOException {
    var words = new ArrayList<Object>(List.of(beforeMillis));
    words.addAll(except);
    change(
        "DELETE FROM session WHERE closed_at < ? AND session NOT IN ("
            + String.join(", ", Collections.nCopies(except.size(), "?"))
            + ")",
        words.toArray());
  }

  /** All rows that are not closed, oldest first. */
  public synchronized List<Row> open() throws IOException {
    return rows("SELECT * FROM session WHERE closed_at IS NULL ORDER BY started_at, session");
  }

  /** Those of these sessions that are closed: a live process with such a cookie is a stray. */
  public synchronized List<Row> closedOf(Collection<String> sessions) throws IOException {
    var found = new ArrayList<Row>();
    for (String session : sessions) {
      found.addAll(
          rows("SELECT * FROM session WHERE session = ? AND closed_at IS NOT NULL", session));
    }
    return found;
  }

  @Override
  public synchronized void close() throws IOException {
    var _ =
        checked(() -> {
          database.close();
          return true;
        });
  }

  private static Row row(ResultSet rows) throws SQLException {
    String boot = rows.getString("boot_id");
    String namespace = rows.getString("pid_namespace");
    long pid = rows.getLong("process_pid");
    Optional<Identity> process =
        rows.wasNull()
            ? Optional.empty()
            : Optional.of(new Identity(pid, rows.getLong("process_start"), boot, namespace));
    return new Row(
        rows.getString("session"),
        rows.getString("item"),
        rows.getString("token"),
        rows.getString("level"),
        new Identity(rows.getLong("owner_pid"), rows.getLong("owner_start"), boot, namespace),
        process,
        rows.getLong("started_at"));
  }

  private List<Row> rows(String sql, Object... values) throws IOException {
    return checked(() -> database.list(Journal::row, sql, values));
  }

  private void change(String sql, Object... values) throws IOException {
    var _ = checked(() -> database.update(sql, values));
  }

  private static <T> T checked(Supplier<T> call) throws IOException {
    try {
      return call.get();
    } catch (StartFailure e) {
      throw new IOException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * A session that was opened and not closed.
   *
   * @param session its id, also the cookie of its processes
   * @param item key of its item
   * @param token its fencing token as text
   * @param level label of its containment
   * @param owner the runner that opened it
   * @param process its outermost process; empty if it was not started, or if the runner crashed
   *     while starting it
   * @param startedAt epoch milliseconds
   */
  public record Row(
      String session,
      String item,
      String token,
      String level,
      Identity owner,
      Optional<Identity> process,
      long startedAt) {}
}
