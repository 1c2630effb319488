package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.text.BundledText;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import dev.flyball.sqlite.DatabaseFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code console.db}, which the command line reads while the console writes. */
public final class ProjectionFile {
  private static final String NAME = "console.db";
  private static final String FIX =
      "check space and permissions, or delete the file (it is made again from Kafka)";

  /** Key of the ledger's state. */
  static final String LEDGER = "ledger";

  private static final Logger LOG = LoggerFactory.getLogger(ProjectionFile.class);

  private ProjectionFile() {}

  /**
   * Opens the file in this folder for writing. A file that is damaged or of another schema is
   * deleted and made again: the topics hold everything that it held.
   *
   * @throws StartFailure if it cannot be used
   */
  static Database open(Path data) {
    Path file = data.resolve(NAME);
    try {
      return Database.open(file, schema(), FIX);
    } catch (StartFailure e) {
      if (!damaged(e) || !Files.isRegularFile(file)) {
        throw e;
      }
      LOG.warn("{}; rebuilding it from Kafka", e.getMessage());
      delete(data);
      return Database.open(file, schema(), FIX);
    }
  }

  /** The statements that make an empty file. */
  public static String schema() {
    return BundledText.of(ProjectionFile.class, "schema.sql");
  }

  /** Whether an error means that the file is damaged, so that it must be made again. */
  static boolean damaged(@Nullable Throwable e) {
    return e != null
        && ((e instanceof DatabaseFailure failure && failure.ofContent()) || damaged(e.getCause()));
  }

  /**
   * Deletes the file, which must be closed. Programs that have it open go on with the old one.
   *
   * @throws StartFailure if it cannot be deleted
   */
  static void delete(Path data) {
    for (String end : List.of("", "-wal", "-shm")) {
      Path file = data.resolve(NAME + end);
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new StartFailure(file + " cannot be deleted: " + e.getMessage() + "; delete it", e);
      }
    }
  }

  /**
   * Opens the file in this folder for reading; empty if there is none, or if it has no tables yet.
   * For a reader of some tenants the name of each table with a tenant gives only their rows, so a
   * query cannot forget to leave out the others. {@code meta}, {@code pause} and {@code runner} are
   * of all tenants, and {@code main.} before a name is the whole table.
   *
   * @throws StartFailure if it cannot be read, or has the tables of another version
   */
  public static Optional<Database> openForReading(Path data, TenantScope scope) {
    Path file = data.resolve(NAME);
    return Database.openForReading(file, FIX).filter(it -> prepared(file, it, scope));
  }

  /** Whether the file has its tables, as the reader may see them; it is closed if not. */
  private static boolean prepared(Path path, Database file, TenantScope scope) {
    boolean usable = false;
    try {
      int version = file.first(Integer.class, "PRAGMA user_version").orElse(0);
      // A console that starts has created the file a moment before its tables.
      if (version != 0) {
        if (version != Database.version(schema())) {
          throw new StartFailure(
              path
                  + " was made by another version of Flyball: use that version, or start this one's"
                  + " `up` or `run` here once, which makes it again");
        }
        if (scope.tenants() != null) {
          narrow(file, scope.tenants());
        }
        usable = true;
      }
      return usable;
    } finally {
      if (!usable) {
        file.close();
      }
    }
  }

  private static void narrow(Database file, Set<String> tenants) {
    String names =
        tenants.stream()
            .map(tenant -> "'" + tenant.replace("'", "''") + "'")
            .collect(Collectors.joining(", "));
    List<String> tables =
        file.list(
            String.class,
            "SELECT master.name FROM sqlite_master AS master JOIN pragma_table_xinfo(master.name)"
                + " AS it ON it.name = 'tenant' WHERE master.type IN ('table', 'view')");
    for (String table : tables) {
      file.update(
          "CREATE TEMP VIEW "
              + table
              + " AS SELECT * FROM main."
              + table
              + " WHERE tenant IN ("
              + names
              + ")");
    }
  }

  /** A single value that the file keeps under this key. */
  public static Optional<String> meta(Database file, String key) {
    return file.first(String.class, "SELECT value FROM meta WHERE key = ?", key);
  }

  /** The ledger as the console last stored it. */
  public static LedgerState ledger(Database file) {
    return meta(file, LEDGER)
        .map(json -> LedgerState.restore(RecordJson.read(json, LedgerSnapshot.class)))
        .orElse(LedgerState.empty());
  }

  /**
   * What is counted of all tenants that the reader sees.
   *
   * @param backlog items that are not settled
   * @param oldest since when the oldest of them waits
   * @param broken the invariants that are broken, of all tenants
   */
  public record Figure(
      long backlog,
      @Nullable Instant oldest,
      SortedMap<String, Long> counters,
      List<BrokenInvariant> broken) {}

  /** The figures of now, from tables that are small however many items there are. */
  public static Figure figure(Database file) {
    return new Figure(
        file.first(Long.class, "SELECT sum(waiting) FROM item_count").orElse(0L),
        // One index entry a tenant.
        file.first(
                Instant.class,
                "SELECT min(since) FROM (SELECT (SELECT waiting_since FROM item WHERE item.tenant ="
                    + " every.tenant AND waiting_since IS NOT NULL ORDER BY waiting_since LIMIT 1)"
                    + " AS since FROM (SELECT DISTINCT tenant FROM item_count) AS every)")
            .orElse(null),
        counters(file),
        meta(file, "broken")
            .map(json -> List.of(RecordJson.read(json, BrokenInvariant[].class)))
            .orElse(List.of()));
  }

  /** Every counter by its name, of all tenants together. */
  public static SortedMap<String, Long> counters(Database file) {
    return counts(file, "SELECT name, sum(value) FROM counter GROUP BY name");
  }

  /** A query's names with their numbers. */
  public static SortedMap<String, Long> counts(
      Database file, String query, @Nullable Object... values) {
    var counts = new TreeMap<String, Long>();
    file.list(row -> counts.put(row.getString(1), row.getLong(2)), query, values);
    return counts;
  }

  /** The counters whose name begins with this, by the rest of their name. */
  public static SortedMap<String, Long> ofKind(String kind, SortedMap<String, Long> counters) {
    var found = new TreeMap<String, Long>();
    counters.forEach((name, value) -> {
      if (name.startsWith(kind)) {
        found.put(name.substring(kind.length()), value);
      }
    });
    return found;
  }

  /** Keeps a single value under this key. */
  static void putMeta(Database file, String key, String value) {
    file.update("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, value);
  }
}
