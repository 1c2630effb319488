package dev.flyball.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.broken.BrokenSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

class DatabaseTest {
  @TempDir Path folder;
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = folder.resolve("new folder/notes.db");
  }

  @Test
  void anOlderFileIsMigratedAndKeepsItsRows() throws Exception {
    writtenByTheFirstVersion();

    try (Database database = open()) {
      assertThat(notes(database)).containsExactly("old");
      assertThat(version(database)).isEqualTo(2);
      database.update("UPDATE note SET at = ?", Instant.EPOCH);
      assertThat(database.first(row -> row.getString(1), "SELECT at FROM note"))
          .contains("1970-01-01T00:00:00.000000000Z");
    }
  }

  @Test
  void aRowIsARecordByTheNamesOfItsComponents() {
    try (Database database = open()) {
      var at = "1970-01-01T00:00:00.000000000Z";
      assertThat(
              database.first(
                  Outer.class,
                  "SELECT 'n' AS name, 2 AS part_count, ? AS part_seen_at, 1 AS part_open, NULL AS"
                      + " most",
                  at))
          .contains(new Outer("n", new Part(2, Instant.EPOCH, true), null));
      assertThat(database.list(String.class, "SELECT 'a' UNION SELECT 'b'"))
          .containsExactly("a", "b");
      assertThat(database.first(Long.class, "SELECT max(1) WHERE 1 = 0")).as("null").isEmpty();
    }
  }

  private record Outer(String name, Part part, @Nullable Long most) {}

  private record Part(int count, @Nullable Instant seenAt, boolean open) {}

  @Test
  void aFailedMigrationLeavesTheFileAtItsVersion() throws Exception {
    writtenByTheFirstVersion();

    assertFails(() -> Database.open(file, BrokenSchema.class, "call for help"))
        .hasMessageEndingWith("; call for help");

    try (Database database = open()) {
      assertThat(notes(database)).containsExactly("old");
    }
  }

  @Test
  void aStatementServesAQueryWithinItsOwnRows() throws Exception {
    try (Database database = open()) {
      String sql = "SELECT ? + value FROM (SELECT 1 AS value UNION SELECT 2) ORDER BY 1";

      List<List<Integer>> rows =
          database.list(row -> database.list(inner -> inner.getInt(1), sql, row.getInt(1)), sql, 0);

      assertThat(rows).containsExactly(List.of(2, 3), List.of(3, 4));
      assertThat(database.list(row -> row.getInt(1), sql, 10)).containsExactly(11, 12);
    }
  }

  @Test
  void aStatementForgetsTheValuesAndTheFailureOfItsLastUse() throws Exception {
    try (Database database = open()) {
      String sql = "SELECT ?1 IS NULL";
      assertThat(database.first(row -> row.getInt(1), sql, "a")).contains(0);
      assertThat(database.first(row -> row.getInt(1), sql)).contains(1);
      assertThatThrownBy(() ->
              database.list(
                  row -> {
                    throw new IllegalStateException("unreadable row");
                  },
                  sql,
                  "a"))
          .hasMessage("unreadable row");
      assertThat(database.first(row -> row.getInt(1), sql)).contains(1);
    }
  }

  @Test
  void moreStatementsThanAreKeptWorkInTurns() throws Exception {
    try (Database database = open()) {
      for (int round = 0; round < 2; round++) {
        for (int n = 0; n < 200; n++) {
          assertThat(database.first(row -> row.getInt(1), "SELECT " + n)).contains(n);
        }
      }
    }
  }

  @Test
  void aCurrentFileOpensWhileAnotherWritesIt() throws Exception {
    try (Database writer = open()) {
      int version =
          writer.transaction(() -> {
            try (Database second = open()) {
              return version(second);
            }
          });

      assertThat(version).isEqualTo(2);
    }
  }

  @Test
  void aFileOfANewerVersionIsRejected() {
    try (Database database = open()) {
      database.update("PRAGMA user_version = 99");
    }

    assertFails(this::open).hasMessageContaining("99 > 2");
  }

  @Test
  void aFileThatIsNoDatabaseIsRejectedInOneLine() throws Exception {
    Files.createDirectories(folder.resolve("new folder"));
    Files.writeString(file, "this is no database, but long enough to be looked at");

    assertFails(this::open)
        .hasMessageStartingWith(file + " ")
        .hasMessageEndingWith("; call for help")
        .rootCause()
        .isInstanceOfSatisfying(
            SQLiteException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(SQLiteErrorCode.SQLITE_NOTADB));
  }

  @Test
  void aFolderThatCannotBeCreatedIsNamed() throws Exception {
    Files.writeString(folder.resolve("new folder"), "no folder");

    assertFails(this::open).hasMessageContainingAll(folder.toString(), "--data");
  }

  @Test
  void aFullDiskUndoesTheTransactionAndTheFileStaysUsable() {
    try (Database database = open()) {
      database.update("INSERT INTO note (text) VALUES ('first')");
      // The limit of SQLite itself: the same error as that of a full disk.
      database.list(row -> row.getInt(1), "PRAGMA max_page_count = 20");

      assertFails(() ->
              database.transaction(() -> {
                for (int i = 0; i < 100; i++) {
                  database.update("INSERT INTO note (text) VALUES (?)", "x".repeat(4000));
                }
                return 0;
              }))
          .as("the general fix does not help here")
          .hasMessageNotContaining("call for help")
          .rootCause()
          .isInstanceOfSatisfying(
              SQLiteException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(SQLiteErrorCode.SQLITE_FULL));

      assertThat(notes(database)).containsExactly("first");
      database.update("UPDATE note SET text = 'second'");
    }
  }

  @Test
  void othersReadWhileATransactionIsOpen() {
    try (Database writer = open();
        Database reader = Database.openForReading(file, "call for help").orElseThrow()) {
      List<String> seen =
          writer.transaction(() -> {
            writer.updateAll(
                "INSERT INTO note (text) VALUES (?)",
                IntStream.range(0, 1200).mapToObj(i -> new Object[] {"n" + i}));
            return notes(reader);
          });

      assertThat(seen).isEmpty();
      assertThat(notes(reader)).hasSize(1200);
      assertFails(() -> reader.update("DELETE FROM note"));
    }
  }

  @Test
  void aMissingFileIsNotCreatedByAReader() {
    assertThat(Database.openForReading(file, "call for help")).isEmpty();
    assertThat(file).doesNotExist();
  }

  private Database open() {
    return Database.open(file, DatabaseTest.class, "call for help");
  }

  /** As the code of the first version wrote it, without this class. */
  private void writtenByTheFirstVersion() throws Exception {
    Files.createDirectories(folder.resolve("new folder"));
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode = WAL");
      statement.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)");
      statement.execute("PRAGMA user_version = 1");
      statement.execute("INSERT INTO note (text) VALUES ('old')");
    }
  }

  private static List<String> notes(Database database) {
    return database.list(row -> row.getString(1), "SELECT text FROM note ORDER BY id");
  }

  private static int version(Database database) {
    return database.first(row -> row.getInt(1), "PRAGMA user_version").orElseThrow();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertFails(
      ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOf(StartFailure.class)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
  }
}
