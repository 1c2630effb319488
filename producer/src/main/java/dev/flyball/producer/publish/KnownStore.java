package dev.flyball.producer.publish;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.change.Known;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The producer's SQLite file: what is known to be published at each source's committed cursor. It
 * is written after the commit, so a crash between the two leaves it at an older cursor; what was
 * published is then read back from work-items, as after its loss or a poll by another producer.
 * Safe for several threads, one at a time.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read or written.
 */
public final class KnownStore implements AutoCloseable {
  private static final String FIX =
      "check space and permissions, or delete the file (what was published stays known to Kafka)";

  private static final String SCHEMA =
      """
      CREATE TABLE source (
        key TEXT PRIMARY KEY,
        cursor TEXT NOT NULL,
        invalid TEXT NOT NULL
      ) WITHOUT ROWID;
      CREATE TABLE known (
        source TEXT NOT NULL,
        item TEXT NOT NULL,
        digests TEXT NOT NULL,
        version TEXT NOT NULL,
        changed TEXT,
        PRIMARY KEY (source, item)
      ) WITHOUT ROWID;
      """;

  /** Items in one query; SQLite takes 32,766 parameters at most. */
  private static final int BATCH = 500;

  private final Database database;

  /**
   * What is known to be published at a committed cursor.
   *
   * @param known every item that was published
   * @param invalid digests of the unreadable lines that are in dead-letters already
   */
  public record LocalCopy(Map<ItemKey, Known> known, Set<String> invalid) {
    /** The copy before the first poll. */
    public static final LocalCopy NOTHING = new LocalCopy(Map.of(), Set.of());

    /** This copy, completed by the others for items that it does not know. */
    public LocalCopy orElse(Map<ItemKey, Known> others) {
      var all = new HashMap<>(others);
      all.putAll(known);
      return new LocalCopy(all, invalid);
    }

    public LocalCopy {
      known = Map.copyOf(known);
      invalid = Set.copyOf(invalid);
    }
  }

  private KnownStore(Database database) {
    this.database = database;
  }

  /** Opens the file, making it if it is missing. */
  public static KnownStore open(Path file) {
    return new KnownStore(Database.open(file, SCHEMA, FIX));
  }

  /** Opens the file for reading only; empty if there is none. */
  public static Optional<KnownStore> openForReading(Path file) {
    return Database.openForReading(file, FIX).map(KnownStore::new);
  }

  /**
   * The committed cursor to which the copy of a source belongs; empty if there is no copy. The copy
   * is valid only while poll-state has the same cursor.
   */
  public synchronized Optional<String> cursor(String source) {
    return text("SELECT cursor FROM source WHERE key = ?", source);
  }

  /** A source's copy of these items: a tracker of a hundred thousand answers with a few. */
  public synchronized LocalCopy copy(String source, Collection<ItemKey> items) {
    return database.transaction(() -> {
      var known = new HashMap<ItemKey, Known>();
      List<ItemKey> distinct = items.stream().distinct().toList();
      for (int from = 0; from < distinct.size(); from += BATCH) {
        read(source, distinct.subList(from, Math.min(from + BATCH, distinct.size())), known);
      }
      String invalid = text("SELECT invalid FROM source WHERE key = ?", source).orElse("");
      return new LocalCopy(known, invalid.isEmpty() ? Set.of() : Set.of(invalid.split(" ")));
    });
  }

  /**
   * The copy of a source belongs to this cursor now, with these changes.
   *
   * @param whole whether the changes replace the copy, because that is not valid
   */
  public synchronized void put(String source, String cursor, LocalCopy changes, boolean whole) {
    database.transaction(() -> {
      if (whole) {
        database.update("DELETE FROM known WHERE source = ?", source);
      }
      database.update(
          "INSERT OR REPLACE INTO source (key, cursor, invalid) VALUES (?, ?, ?)",
          source,
          cursor,
          String.join(" ", changes.invalid()));
      database.updateAll(
          "INSERT OR REPLACE INTO known (source, item, digests, version, changed)"
              + " VALUES (?, ?, ?, ?, ?)",
          changes.known().entrySet().stream()
              .map(entry -> values(source, entry.getKey(), entry.getValue())));
      return Boolean.TRUE;
    });
  }

  @Override
  public synchronized void close() {
    database.close();
  }

  private Optional<String> text(String query, String source) {
    return database.first(row -> row.getString(1), query, source);
  }

  private void read(String source, List<ItemKey> keys, Map<ItemKey, Known> known) {
    var values = Stream.concat(Stream.of(source), keys.stream().map(ItemKey::toString));
    database
        .list(
            row ->
                Map.entry(
                    ItemKey.parse(row.getString(1)),
                    new Known(
                        Arrays.asList(row.getString(2).split(" ")),
                        row.getString(3),
                        Database.instant(row, "changed"))),
            "SELECT item, digests, version, changed FROM known WHERE source = ? AND item IN ("
                + String.join(",", Collections.nCopies(keys.size(), "?"))
                + ")",
            values.toArray())
        .forEach(entry -> known.put(entry.getKey(), entry.getValue()));
  }

  private static @Nullable Object[] values(String source, ItemKey item, Known known) {
    Instant changedAt = known.changedAt();
    return new @Nullable Object[] {
      source,
      item.toString(),
      String.join(" ", known.digests()),
      known.version(),
      changedAt == null ? null : changedAt.toString()
    };
  }
}
