package dev.flyball.producer.history;

import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Opens the history's file and migrates it to the newest of the numbered {@code .sql} files beside
 * this class.
 */
final class HistoryFile {
  private static final int VERSION = 5;

  private HistoryFile() {}

  static Connection open(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
      try (Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA journal_mode = WAL");
        statement.execute("PRAGMA synchronous = NORMAL");
        statement.execute("PRAGMA busy_timeout = 5000");
        connection.setAutoCommit(false);
        migrate(statement);
        connection.commit();
        return connection;
      } catch (SQLException | RuntimeException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw unusable(file, e);
    } catch (IOException e) {
      throw new StartFailure(
          file.getParent()
              + " cannot be made: "
              + e.getMessage()
              + "; choose another --data folder",
          e);
    }
  }

  static Optional<Connection> openForReading(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Connection connection = DriverManager.getConnection("jdbc:sqlite:file:" + file + "?mode=ro");
      connection.setAutoCommit(false);
      return Optional.of(connection);
    } catch (SQLException e) {
      throw unusable(file, e);
    }
  }

  static StartFailure unusable(Path file, SQLException e) {
    return new StartFailure(
        file
            + " cannot be used: "
            + String.valueOf(e.getMessage()).replaceAll("\\s+", " ")
            + "; check space and permissions, or delete the file (what was published stays known to"
            + " Kafka)",
        e);
  }

  private static void migrate(Statement statement) throws SQLException {
    int version;
    try (ResultSet rows = statement.executeQuery("PRAGMA user_version")) {
      version = rows.getInt(1);
    }
    if (version > VERSION) {
      throw new SQLException(
          "it was written by a newer version (" + version + " > " + VERSION + ")");
    }
    for (int next = version + 1; next <= VERSION; next++) {
      for (String sql : script(next).split(";\\s*\n")) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
      statement.execute("PRAGMA user_version = " + next);
    }
  }

  private static String script(int version) {
    String name = version + ".sql";
    try (InputStream in = HistoryFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("resource " + name + " cannot be read", e);
    }
  }
}
