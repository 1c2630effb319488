package dev.flyball.producer.publish;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.change.Known;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The producer's SQLite file: a local copy of what is known at the committed cursors, and the
 * history of polls. Losing it loses no work: the cursor in poll-state is the authority. Safe for
 * several threads, one at a time.
 *
 * <p>Every method throws {@link StartFailure} with one line if the file cannot be read or written.
 */
public final class PollHistory implements AutoCloseable {
  private static final String FIX =
      "check space and permissions, or delete the file (what was published stays known to Kafka)";

  /** Items in one query; SQLite takes 32,766 parameters at most. */
  private static final int BATCH = 500;

  /** Polls of each source that are kept. */
  private static final int KEPT_RUNS = 1_000;

  private final Database database;

  /**
   * One poll as the history records it.
   *
   * @param outcome {@code finished}, {@code skipped} or {@code failed}
   * @param reason why it was skipped or failed
   */
  public record PollRun(
      String source,
      String poll,
      Instant startedAt,
      Instant endedAt,
      String outcome,
      @Nullable String reason,
      int lines,
      int items,
      int changed,
      int duplicates,
      int invalid) {}

  /**
   * How far the waiting and running items of a source were checked again.
   *
   * @param began when the newest round began
   * @param last the last item checked; null if the round is complete
   */
  public record RevisitMark(Instant began, @Nullable ItemKey last) {}

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

  private PollHistory(Database database) {
    this.database = database;
  }

  /** Opens the file, making or migrating it. */
  public static PollHistory open(Path file) {
    try {
      return new PollHistory(Database.open(file, PollHistory.class, FIX));
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  /** Opens the file for reading only; empty if there is none. */
  public static Optional<PollHistory> openForReading(Path file) {
    try {
      return Database.openForReading(file, FIX).map(PollHistory::new);
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  /**
   * Whether this file holds the copy of this committed cursor; not if the file was lost or copied,
   * or another producer polled since. What was staged for this very cursor is promoted first: its
   * transaction was committed and this process died before it could record that.
   */
  public synchronized boolean isAt(String source, @Nullable String cursor) {
    return attempt(() -> standsAt(source, cursor));
  }

  /**
   * What was published of these items at this committed cursor; empty if this file does not know,
   * as {@link #isAt} says.
   */
  public synchronized Optional<LocalCopy> copyAt(
      String source, @Nullable String cursor, Collection<ItemKey> items) {
    return attempt(() ->
        standsAt(source, cursor)
            ? Optional.of(new LocalCopy(known(source, items), invalidOf(source)))
            : Optional.empty());
  }

  /** The newest copy, whatever poll-state says: for a dry run, which asks no broker. */
  public synchronized Optional<LocalCopy> newestCopy(String source, Collection<ItemKey> items) {
    return attempt(() ->
        cursorIn("source", source) == null
            ? Optional.empty()
            : Optional.of(new LocalCopy(known(source, items), invalidOf(source))));
  }

  /** The cursor of {@link #newestCopy}; empty if this file holds none. */
  public synchronized Optional<String> newestCursor(String source) {
    return attempt(() -> Optional.ofNullable(cursorIn("source", source)));
  }

  private boolean standsAt(String source, @Nullable String cursor) throws SQLException {
    if (cursor != null && cursor.equals(cursorIn("staged_source", source))) {
      promoteStaged(source);
    }
    return cursor != null && cursor.equals(cursorIn("source", source));
  }

  /**
   * Records what will be known if the transaction that carries this cursor is committed.
   *
   * @param whole whether the changes replace the copy, because the existing copy is not valid
   */
  public synchronized void stage(String source, String cursor, LocalCopy changes, boolean whole) {
    attempt(() -> {
      clearStaged(source);
      putSource("staged_source", source, cursor, changes.invalid());
      database.update("UPDATE staged_source SET whole = ? WHERE key = ?", whole ? 1 : 0, source);
      put("staged", source, changes.known());
      return done();
    });
  }

  /** The transaction was committed: what was staged becomes known. */
  public synchronized void promote(String source) {
    attempt(() -> {
      promoteStaged(source);
      return done();
    });
  }

  /** Replaces the whole copy of a source. */
  public synchronized void replace(String source, String cursor, LocalCopy copy) {
    attempt(() -> {
      clearStaged(source);
      database.update("DELETE FROM known WHERE source = ?", source);
      putSource("source", source, cursor, copy.invalid());
      put("known", source, copy.known());
      return done();
    });
  }

  /** How far a source's waiting items were checked again; empty if they never were. */
  public synchronized Optional<RevisitMark> revisited(String source) {
    return attempt(() -> {
      String began = text("SELECT began FROM revisit WHERE source = ?", source);
      String last = text("SELECT last FROM revisit WHERE source = ?", source);
      return Optional.ofNullable(began)
          .map(at -> new RevisitMark(Instant.parse(at), last == null ? null : ItemKey.parse(last)));
    });
  }

  /** Records how far a source's waiting items were checked again. */
  public synchronized void revisit(String source, RevisitMark mark) {
    attempt(() -> {
      database.update(
          "INSERT OR REPLACE INTO revisit (source, began, last) VALUES (?, ?, ?)",
          source,
          mark.began().toString(),
          mark.last() == null ? null : mark.last().toString());
      return done();
    });
  }

  /** Adds a poll to the history; the newest thousand of each source are kept. */
  public synchronized void add(PollRun run) {
    attempt(() -> {
      insert(run);
      return done();
    });
  }

  /** The newest polls of a source, newest first. */
  public synchronized List<PollRun> runs(String source, int limit) {
    return attempt(() ->
        database.list(
            PollHistory::run,
            "SELECT * FROM run WHERE source = ? ORDER BY id DESC LIMIT ?",
            source,
            limit));
  }

  /** The newest polls of all sources, newest first. */
  public synchronized List<PollRun> runs(int limit) {
    return attempt(
        () -> database.list(PollHistory::run, "SELECT * FROM run ORDER BY id DESC LIMIT ?", limit));
  }

  /** When the newest successful poll of a source ended; empty if there is none. */
  public synchronized Optional<Instant> lastSuccess(String source) {
    return attempt(() ->
        database.first(
            row -> Instant.parse(row.getString(1)),
            "SELECT ended_at FROM run WHERE source = ? AND outcome = 'finished' ORDER BY id DESC"
                + " LIMIT 1",
            source));
  }

  @Override
  public synchronized void close() {
    try {
      database.close();
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  private void promoteStaged(String source) throws SQLException {
    database.update(
        "DELETE FROM known WHERE source = ?1 AND EXISTS (SELECT 1 FROM staged_source WHERE key = ?1"
            + " AND whole = 1)",
        source);
    database.update(
        "INSERT OR REPLACE INTO known (source, item, digests, version, hash, changed)"
            + " SELECT source, item, digests, version, hash, changed FROM staged WHERE source = ?",
        source);
    database.update(
        "INSERT OR REPLACE INTO source SELECT key, cursor, invalid FROM staged_source WHERE key ="
            + " ?",
        source);
    clearStaged(source);
  }

  private void clearStaged(String source) throws SQLException {
    database.update("DELETE FROM staged WHERE source = ?", source);
    database.update("DELETE FROM staged_source WHERE key = ?", source);
  }

  private @Nullable String cursorIn(String table, String source) throws SQLException {
    return text("SELECT cursor FROM " + table + " WHERE key = ?", source);
  }

  private Set<String> invalidOf(String source) throws SQLException {
    String digests = text("SELECT invalid FROM source WHERE key = ?", source);
    return digests == null || digests.isEmpty() ? Set.of() : Set.of(digests.split(" "));
  }

  private void putSource(String table, String source, String cursor, Set<String> invalid)
      throws SQLException {
    database.update(
        "INSERT OR REPLACE INTO " + table + " (key, cursor, invalid) VALUES (?, ?, ?)",
        source,
        cursor,
        String.join(" ", invalid));
  }

  /** Runs work in one transaction: all or nothing. */
  private <T> T attempt(Database.Work<T> work) {
    try {
      return database.transaction(work);
    } catch (SQLException e) {
      throw unusable(e);
    }
  }

  private @Nullable String text(String query, String source) throws SQLException {
    return database
        .first(row -> Optional.ofNullable(row.getString(1)), query, source)
        .flatMap(Function.identity())
        .orElse(null);
  }

  /**
   * What is known of these items. Read only for the items of the current poll: a tracker of a
   * hundred thousand items answers with a few.
   */
  private Map<ItemKey, Known> known(String source, Collection<ItemKey> keys) throws SQLException {
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

  private void put(String table, String source, Map<ItemKey, Known> known) throws SQLException {
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

  private void insert(PollRun run) throws SQLException {
    database.update(
        "INSERT INTO run (source, poll, started_at, ended_at, outcome, reason, lines, items,"
            + " changed, duplicates, invalid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        run.source(),
        run.poll(),
        run.startedAt().toString(),
        run.endedAt().toString(),
        run.outcome(),
        run.reason(),
        run.lines(),
        run.items(),
        run.changed(),
        run.duplicates(),
        run.invalid());
    database.update(
        "DELETE FROM run WHERE source = ?1 AND id <= (SELECT max(id) FROM run WHERE source = ?1)"
            + " - "
            + KEPT_RUNS,
        run.source());
  }

  private static PollRun run(ResultSet row) throws SQLException {
    return new PollRun(
        row.getString("source"),
        row.getString("poll"),
        Instant.parse(row.getString("started_at")),
        Instant.parse(row.getString("ended_at")),
        row.getString("outcome"),
        row.getString("reason"),
        row.getInt("lines"),
        row.getInt("items"),
        row.getInt("changed"),
        row.getInt("duplicates"),
        row.getInt("invalid"));
  }

  private static StartFailure unusable(SQLException e) {
    return new StartFailure(String.valueOf(e.getMessage()), e);
  }

  private static Boolean done() {
    return Boolean.TRUE;
  }
}
