package dev.flyball.producer.history;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.Known;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of what is known of items. Read only for the items of the current poll: a tracker of a
 * hundred thousand items answers with a few.
 */
final class KnownRows {
  /** Items in one query; SQLite takes 32,766 parameters at most. */
  private static final int BATCH = 500;

  private final Database database;

  KnownRows(Database database) {
    this.database = database;
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
    var values = Stream.concat(Stream.of(source), keys.stream().map(ItemKey::toString));
    database
        .list(
            row ->
                Map.entry(
                    ItemKey.parse(row.getString(1)),
                    new Known(
                        Arrays.asList(row.getString(2).split(" ")),
                        row.getString(3),
                        row.getString(4),
                        Database.instant(row, "changed"))),
            "SELECT item, digests, version, hash, changed FROM known WHERE source = ? AND item IN ("
                + String.join(",", Collections.nCopies(keys.size(), "?"))
                + ")",
            values.toArray())
        .forEach(entry -> known.put(entry.getKey(), entry.getValue()));
  }

  void put(String table, String source, Map<ItemKey, Known> known) throws SQLException {
    database.updateAll(
        "INSERT OR REPLACE INTO "
            + table
            + " (source, item, digests, version, hash, changed) VALUES (?, ?, ?, ?, ?, ?)",
        known.entrySet().stream().map(entry -> values(source, entry.getKey(), entry.getValue())));
  }

  private static @Nullable Object[] values(String source, ItemKey item, Known known) {
    Instant changedAt = known.changedAt();
    return new @Nullable Object[] {
      source,
      item.toString(),
      String.join(" ", known.digests()),
      known.version(),
      known.hash(),
      changedAt == null ? null : changedAt.toString()
    };
  }
}
