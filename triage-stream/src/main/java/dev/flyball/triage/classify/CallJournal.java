package dev.flyball.triage.classify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.triage.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records every classifier call before it is made, and again with its answer before that is
 * published. After a crash an answered batch is published without asking, and at most the call in
 * flight is repeated. Used only by the classifier's thread.
 */
final class CallJournal implements AutoCloseable {
  /** How many published batches are kept for a person to read. */
  private static final int KEPT = 1000;

  private static final List<String> MIGRATIONS = List.of("001-batches.sql");

  private final Connection db;

  private CallJournal(Connection db) {
    this.db = db;
  }

  /** The questions of a batch, by their offsets in triage-requests. */
  record Range(String topicId, long first, long last, int items) {}

  /** One verdict with the key and trace of its record. */
  record Entry(String key, @Nullable String traceparent, Verdict verdict) {}

  /** An answered batch. */
  record Answered(String id, long last, List<Entry> entries) {
    Answered {
      entries = List.copyOf(entries);
    }
  }

  /**
   * Opens the journal, creating it if it is missing.
   *
   * @throws IllegalStateException if the folder cannot be used
   */
  static CallJournal open(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Connection db = DriverManager.getConnection("jdbc:sqlite:" + file);
      try (Statement s = db.createStatement()) {
        s.execute("PRAGMA journal_mode=WAL");
        s.execute("PRAGMA synchronous=FULL");
        s.execute("PRAGMA busy_timeout=5000");
        migrate(s);
      }
      return new CallJournal(db);
    } catch (SQLException | IOException e) {
      throw new IllegalStateException(
          "cannot use " + file + ": " + e.getMessage() + "; choose a writable --data folder", e);
    }
  }

  /** Records a call that is about to be made; returns its batch id. */
  String asked(Range range, Instant now) {
    String id = "b" + range.first() + "." + (count(range) + 1) + "-" + range.topicId();
    run(
        "INSERT INTO batch (id, topic_id, first_offset, last_offset, items, state, asked_at)"
            + " VALUES (?, ?, ?, ?, ?, 'asked', ?)",
        id,
        range.topicId(),
        range.first(),
        range.last(),
        range.items(),
        now.toString());
    return id;
  }

  /** Records the call's answer. */
  void answered(String id, List<Entry> entries, Instant now) {
    run(
        "UPDATE batch SET state = 'answered', answer = ?, answered_at = ? WHERE id = ?",
        RecordJson.write(entries),
        now.toString(),
        id);
  }

  /** Records that its verdicts are in the topic and its questions' offsets committed. */
  void published(String id) {
    run("UPDATE batch SET state = 'published' WHERE id = ?", id);
    run(
        "DELETE FROM batch WHERE state = 'published' AND rowid <="
            + " (SELECT MAX(rowid) FROM batch) - ?",
        KEPT);
  }

  /** The answer of the batch that began with this question, if there is one. */
  Optional<Answered> answeredAt(String topicId, long first) {
    try (PreparedStatement s =
        db.prepareStatement(
            "SELECT id, last_offset, answer FROM batch WHERE topic_id = ? AND first_offset = ?"
                + " AND answer IS NOT NULL ORDER BY rowid DESC LIMIT 1")) {
      bind(s, topicId, first);
      try (ResultSet rows = s.executeQuery()) {
        return rows.next()
            ? Optional.of(
                new Answered(
                    rows.getString(1),
                    rows.getLong(2),
                    List.of(RecordJson.read(rows.getString(3), Entry[].class))))
            : Optional.empty();
      }
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  @Override
  public void close() {
    try {
      db.close();
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  private int count(Range range) {
    try (PreparedStatement s =
        db.prepareStatement("SELECT COUNT(*) FROM batch WHERE topic_id = ? AND first_offset = ?")) {
      bind(s, range.topicId(), range.first());
      try (ResultSet rows = s.executeQuery()) {
        return rows.next() ? rows.getInt(1) : 0;
      }
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  private void run(String sql, Object... values) {
    try (PreparedStatement s = db.prepareStatement(sql)) {
      bind(s, values);
      s.executeUpdate();
    } catch (SQLException e) {
      throw broken(e);
    }
  }

  private static void bind(PreparedStatement s, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      s.setObject(i + 1, values[i]);
    }
  }

  private static void migrate(Statement s) throws SQLException {
    int version;
    try (ResultSet rows = s.executeQuery("PRAGMA user_version")) {
      version = rows.next() ? rows.getInt(1) : 0;
    }
    if (version > MIGRATIONS.size()) {
      throw new SQLException("it was written by a newer version of Flyball");
    }
    for (int next = version; next < MIGRATIONS.size(); next++) {
      s.execute("BEGIN IMMEDIATE");
      s.executeUpdate(script(MIGRATIONS.get(next)));
      s.execute("PRAGMA user_version = " + (next + 1));
      s.execute("COMMIT");
    }
  }

  private static String script(String name) {
    try (InputStream in = CallJournal.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static IllegalStateException broken(SQLException e) {
    return new IllegalStateException("classifier journal: " + e.getMessage(), e);
  }
}
