package dev.flyball.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** A file that cannot be used. The message is one line: which file, what is wrong, the fix. */
public final class DatabaseFailure extends SQLException {
  private static final long serialVersionUID = 1L;

  private final boolean ofContent;

  private DatabaseFailure(String line, Throwable cause, boolean ofContent) {
    super(line, cause);
    this.ofContent = ofContent;
  }

  /**
   * Whether the file's content is the cause: it is damaged, no database, or of a newer version. No
   * repetition helps then, and neither do space and permissions.
   */
  public boolean ofContent() {
    return ofContent;
  }

  /**
   * Of an error of SQLite.
   *
   * @param fix what helps if the error itself names no better fix
   */
  static DatabaseFailure of(Path file, SQLException e, String fix) {
    String detail =
        switch (e instanceof SQLiteException sqlite ? sqlite.getResultCode() : null) {
          case SQLiteErrorCode.SQLITE_FULL -> "the disk is full; free space";
          case SQLiteErrorCode.SQLITE_NOTADB -> "it is not an SQLite database; " + fix;
          case null, default ->
              String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " ") + "; " + fix;
        };
    return new DatabaseFailure(file + " cannot be used: " + detail, e, damaged(e));
  }

  static DatabaseFailure newer(Path file, int version, int known) {
    return new DatabaseFailure(
        file
            + " cannot be used: it was written by a newer version ("
            + version
            + " > "
            + known
            + "); use that version",
        new SQLException("user_version is " + version),
        true);
  }

  static DatabaseFailure otherSchema(Path file) {
    return new DatabaseFailure(
        file + " cannot be used: another version of Flyball made it; delete it",
        new SQLException("user_version is that of another schema"),
        true);
  }

  private static boolean damaged(SQLException e) {
    return e instanceof SQLiteException sqlite
        && switch (sqlite.getResultCode()) {
          case SQLITE_NOTADB,
              SQLITE_CORRUPT,
              SQLITE_CORRUPT_INDEX,
              SQLITE_CORRUPT_SEQUENCE,
              SQLITE_CORRUPT_VTAB ->
              true;
          default -> false;
        };
  }
}
