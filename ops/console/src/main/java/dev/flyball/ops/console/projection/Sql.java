package dev.flyball.ops.console.projection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The few operations of the projection on its file. Instants are stored as ISO text. */
public final class Sql {
  /** Always nine digits, so that the order of the text is the order of time. */
  private static final DateTimeFormatter SORTABLE =
      new DateTimeFormatterBuilder().appendInstant(9).toFormatter(Locale.ROOT);

  private final Connection connection;

  /** Uses this connection; the caller ensures that one thread at a time uses it. */
  public Sql(Connection connection) {
    this.connection = connection;
  }

  /** Runs one statement; returns how many rows it changed. */
  int update(String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      return statement.executeUpdate();
    }
  }

  /** All rows of a query. */
  public <T> List<T> list(Row<T> row, String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values);
        ResultSet rows = statement.executeQuery()) {
      var all = new ArrayList<T>();
      while (rows.next()) {
        all.add(row.of(rows));
      }
      return all;
    }
  }

  /** The first row of a query. */
  public <T> Optional<T> first(Row<T> row, String sql, @Nullable Object... values)
      throws SQLException {
    return list(row, sql, values).stream().findFirst();
  }

  /** A single value that the file keeps under this key. */
  public Optional<String> meta(String key) throws SQLException {
    return first(row -> row.getString(1), "SELECT value FROM meta WHERE key = ?", key);
  }

  /** Keeps a single value under this key. */
  void putMeta(String key, String value) throws SQLException {
    update("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value);
  }

  /** A column's instant. */
  public static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    String text = row.getString(column);
    return text == null ? null : Instant.parse(text);
  }

  /** A column's number. */
  public static @Nullable Long number(ResultSet row, String column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? null : Long.valueOf(number);
  }

  private PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      statement.setObject(
          i + 1, value instanceof Instant instant ? SORTABLE.format(instant) : value);
    }
    return statement;
  }

  /** Turns one row into a value. */
  public interface Row<T> {
    /** The row as a value. */
    T of(ResultSet row) throws SQLException;
  }
}
