package dev.flyball.producer.history;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Statements on one connection together with their values; the caller commits. */
final class Statements {
  private final Connection connection;

  Statements(Connection connection) {
    this.connection = connection;
  }

  /** Runs a statement that changes rows. */
  void update(String sql, @Nullable Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values)) {
      statement.executeUpdate();
    }
  }

  /** The first column of the first row; null without one. */
  @Nullable String one(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = prepare(sql, values);
        ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  /** A prepared statement with its values; the caller closes it. */
  PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
