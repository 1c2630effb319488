package dev.flyball.runner.journal;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rows that let the next runner on this folder find what this one left. A row is written before
 * its process starts. One connection; all methods hold this object's monitor.
 */
public final class Journal implements AutoCloseable {
  private static final List<String> MIGRATIONS = List.of("001-sessions.sql");

  private final Connection connection;

  private Journal(Connection connection) {
    this.connection = connection;
  }

  /**
   * Opens the journal, or creates it.
   *
   * @throws FolderRejected if it cannot be read or written, or was written by a newer version
   */
  public static Journal open(Path dataDir) throws FolderRejected {
    Path file = dataDir.resolve("journal.db");
    try {
      Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
      var journal = new Journal(connection);
      journal.run("PRAGMA journal_mode=WAL");
      // A row outlives a killed runner, whose processes may live on. It need not outlive a power
      // cut, which no process survives. So no commit waits for the disk while other threads wait
      // for this monitor.
      journal.run("PRAGMA synchronous=NORMAL");
      journal.run("PRAGMA busy_timeout=5000");
      journal.migrate(file);
      return journal;
    } catch (SQLException e) {
      throw new FolderRejected(
          "journal "
              + file
              + " cannot be used ("
              + e.getMessage()
              + "); make it writable, free space, or move it away"
              + " once no session of it runs");
    }
  }

  /**
   * Writes a row before the process starts; the session must not start if this fails.
   *
   * @throws FolderRejected if the row cannot be written
   */
  public synchronized void opened(JournalRow row) throws FolderRejected {
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
  public synchronized void started(String session, Identity process) throws FolderRejected {
    change(
        "UPDATE session SET process_pid = ?, process_start = ? WHERE session = ?",
        process.pid(),
        process.startTicks(),
        session);
  }

  /** Records that the session's tree is dead and its lease has ended. */
  public synchronized void closed(String session, long atMillis) throws FolderRejected {
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
  public synchronized void forget(String session) throws FolderRejected {
    change("DELETE FROM session WHERE session = ?", session);
  }

  /**
   * Deletes closed sessions: those closed before this time, and all but the newest. Their cookies
   * then belong to no known session.
   *
   * @param except sessions that are kept because one of their processes lives
   */
  public synchronized void forgetClosed(long beforeMillis, int newest, Set<String> except)
      throws FolderRejected {
    var words = new ArrayList<Object>(List.of(beforeMillis, newest));
    words.addAll(except);
    change(
        "DELETE FROM session WHERE closed_at IS NOT NULL AND (closed_at < ? OR session NOT IN"
            + " (SELECT session FROM session WHERE closed_at IS NOT NULL"
            + " ORDER BY closed_at DESC, session LIMIT ?)) AND session NOT IN ("
            + String.join(", ", Collections.nCopies(except.size(), "?"))
            + ")",
        words.toArray());
  }

  /** All rows that are not closed, oldest first. */
  public synchronized List<JournalRow> open() throws FolderRejected {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT * FROM session WHERE closed_at IS NULL ORDER BY started_at, session");
        ResultSet rows = statement.executeQuery()) {
      var found = new ArrayList<JournalRow>();
      while (rows.next()) {
        found.add(row(rows));
      }
      return found;
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  /**
   * Returns the sessions among these that are closed: a live process with such a cookie is a stray.
   */
  public synchronized Set<String> closedOf(Collection<String> sessions) throws FolderRejected {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT 1 FROM session WHERE session = ? AND closed_at IS NOT NULL")) {
      var found = new HashSet<String>();
      for (String session : sessions) {
        statement.setString(1, session);
        try (ResultSet rows = statement.executeQuery()) {
          if (rows.next()) {
            found.add(session);
          }
        }
      }
      return found;
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  @Override
  public synchronized void close() throws FolderRejected {
    try {
      connection.close();
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  private static JournalRow row(ResultSet rows) throws SQLException {
    String boot = rows.getString("boot_id");
    String namespace = rows.getString("pid_namespace");
    long pid = rows.getLong("process_pid");
    Optional<Identity> process =
        rows.wasNull()
            ? Optional.empty()
            : Optional.of(new Identity(pid, rows.getLong("process_start"), boot, namespace));
    return new JournalRow(
        rows.getString("session"),
        rows.getString("item"),
        rows.getString("token"),
        rows.getString("level"),
        new Identity(rows.getLong("owner_pid"), rows.getLong("owner_start"), boot, namespace),
        process,
        rows.getLong("started_at"));
  }

  private void migrate(Path file) throws SQLException, FolderRejected {
    int version;
    try (PreparedStatement statement = connection.prepareStatement("PRAGMA user_version");
        ResultSet rows = statement.executeQuery()) {
      version = rows.getInt(1);
    }
    if (version > MIGRATIONS.size()) {
      throw new FolderRejected(
          "journal "
              + file
              + " was written by a newer flyball (version "
              + version
              + "); use that one");
    }
    for (int next = version; next < MIGRATIONS.size(); next++) {
      run("BEGIN IMMEDIATE");
      for (String statement : script(MIGRATIONS.get(next)).split(";\\s*\n")) {
        run(statement);
      }
      run("PRAGMA user_version = " + (next + 1));
      run("COMMIT");
    }
  }

  private static String script(String name) {
    try (InputStream in = Journal.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read from the jar", e);
    }
  }

  private void run(String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.execute();
    }
  }

  private void change(String sql, Object... values) throws FolderRejected {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  private static FolderRejected broken(SQLException e) {
    return new FolderRejected(
        "journal cannot be used (" + e.getMessage() + "); free space or repair the data folder");
  }
}
