package dev.flyball.ops.console.projection;

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
 * Opens {@code console.db} in WAL mode, so that the command line reads while the console writes.
 */
public final class ProjectionFile {
  private static final String NAME = "console.db";
  private static final int VERSION = 4;

  private ProjectionFile() {}

  /**
   * Opens the file in this folder for writing, making or migrating it.
   *
   * @throws StartFailure if it cannot be used
   */
  static Connection open(Path data) {
    Path file = data.resolve(NAME);
    try {
      Files.createDirectories(data);
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
          data + " cannot be made: " + e.getMessage() + "; choose another --data folder", e);
    }
  }

  /**
   * Opens the file in this folder for reading; empty if there is none.
   *
   * @throws StartFailure if it cannot be read
   */
  public static Optional<Connection> openForReading(Path data) {
    Path file = data.resolve(NAME);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Connection connection = DriverManager.getConnection("jdbc:sqlite:file:" + file + "?mode=ro");
      try (Statement statement = connection.createStatement()) {
        statement.execute("PRAGMA busy_timeout = 5000");
        statement.execute("PRAGMA query_only = 1");
      }
      return Optional.of(connection);
    } catch (SQLException e) {
      throw unusable(file, e);
    }
  }

  private static StartFailure unusable(Path file, SQLException e) {
    return new StartFailure(
        file
            + " cannot be used: "
            + String.valueOf(e.getMessage()).replaceAll("\\s+", " ")
            + "; check space and permissions, or delete the file (it is made again from Kafka)",
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
    try (InputStream in = ProjectionFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("resource " + name + " cannot be read", e);
    }
  }
}
