package dev.flyball.producer.history;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.Known;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of what is known of items. Read only for the items of the current poll: a tracker of a
 * hundred thousand items answers with a few.
 */
final class KnownRows {
  /** Items in one query; SQLite takes 32,766 parameters at most. */
  private static final int BATCH = 500;

  private final Connection connection;

  KnownRows(Connection connection) {
    this.connection = connection;
  }

  Map<ItemKey, Known> of(String source, Collection<ItemKey> keys) throws SQLException {
    var known = new HashMap<ItemKey, Known>();
    List<ItemKey> distinct = keys.stream().distinct().toList();
    for (int from = 0; from < distinct.size(); from += BATCH) {
      read(source, distinct.subList(from, Math.min(from + BATCH, distinct.size())), known);
    }
    return known;
  }

  private void read(String source, List<ItemKey> keys, Map<ItemKey, Known> known)
      throws SQLException {
    String places = String.join(",", Collections.nCopies(keys.size(), "?"));
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT item, digests, version, hash, changed FROM known WHERE source = ? AND item IN ("
                + places
                + ")")) {
      statement.setString(1, source);
      for (int i = 0; i < keys.size(); i++) {
        statement.setString(i + 2, keys.get(i).toString());
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          known.put(
              ItemKey.parse(rows.getString(1)),
              new Known(
                  Arrays.asList(rows.getString(2).split(" ")),
                  rows.getString(3),
                  rows.getString(4),
                  time(rows.getString(5))));
        }
      }
    }
  }

  private static @Nullable Instant time(@Nullable String text) {
    return text == null ? null : Instant.parse(text);
  }

  void put(String table, String source, Map<ItemKey, Known> known) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT OR REPLACE INTO "
                + table
                + " (source, item, digests, version, hash, changed) VALUES (?, ?, ?, ?, ?, ?)")) {
      int waiting = 0;
      for (var entry : known.entrySet()) {
        statement.setString(1, source);
        statement.setString(2, entry.getKey().toString());
        statement.setString(3, String.join(" ", entry.getValue().digests()));
        statement.setString(4, entry.getValue().version());
        statement.setString(5, entry.getValue().hash());
        Instant changedAt = entry.getValue().changedAt();
        statement.setString(6, changedAt == null ? null : changedAt.toString());
        statement.addBatch();
        if (++waiting % BATCH == 0) {
          statement.executeBatch();
        }
      }
      statement.executeBatch();
    }
  }
}
