package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** {@code console.db}, which the command line reads while the console writes. */
public final class ProjectionFile {
  private static final String NAME = "console.db";
  private static final String FIX =
      "check space and permissions, or delete the file (it is made again from Kafka)";

  private ProjectionFile() {}

  /**
   * Opens the file in this folder for writing, making or migrating it.
   *
   * @throws StartFailure if it cannot be used
   */
  static Database open(Path data) {
    try {
      return Database.open(data.resolve(NAME), ProjectionFile.class, FIX);
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  /**
   * Opens the file in this folder for reading; empty if there is none.
   *
   * @throws StartFailure if it cannot be read
   */
  public static Optional<Database> openForReading(Path data) {
    try {
      return Database.openForReading(data.resolve(NAME), FIX);
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  /** A single value that the file keeps under this key. */
  public static Optional<String> meta(Database file, String key) throws SQLException {
    return file.first(row -> row.getString(1), "SELECT value FROM meta WHERE key = ?", key);
  }

  /** The ledger as the console last stored it. */
  public static LedgerState ledger(Database file) throws SQLException {
    return meta(file, "ledger")
        .map(json -> LedgerState.restore(RecordJson.read(json, LedgerSnapshot.class)))
        .orElse(LedgerState.empty());
  }

  /** The number of items that are not settled. */
  public static long backlog(Database file) throws SQLException {
    return file.first(
            row -> row.getLong(1), "SELECT count(*) FROM item WHERE waiting_since IS NOT NULL")
        .orElse(0L);
  }

  /** Since when the oldest of them waits; empty if there is none. */
  public static Optional<Instant> oldest(Database file) throws SQLException {
    return file.first(
        row -> Instant.parse(row.getString(1)),
        "SELECT waiting_since FROM item WHERE waiting_since IS NOT NULL ORDER BY waiting_since"
            + " LIMIT 1");
  }

  /** The invariants that are broken, one line each. */
  public static List<String> broken(Database file) throws SQLException {
    return meta(file, "broken").stream()
        .filter(it -> !it.isEmpty())
        .flatMap(String::lines)
        .toList();
  }

  /** Keeps a single value under this key. */
  static void putMeta(Database file, String key, String value) throws SQLException {
    file.update("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value);
  }

  /** The one-line failure of an error of the file. */
  public static StartFailure unusable(SQLException e) {
    return new StartFailure(String.valueOf(e.getMessage()), e);
  }
}
