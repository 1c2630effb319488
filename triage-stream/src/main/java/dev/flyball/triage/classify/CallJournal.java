package dev.flyball.triage.classify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
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

  private final Database db;

  /** A part of each batch id: another journal's calls on the same topic have other ids. */
  private final String name;

  private CallJournal(Database db) {
    this.db = db;
    this.name = db.first(row -> row.getString(1), "SELECT name FROM journal").orElseThrow();
  }

  /**
   * A call without verdicts whose cost is not known to be in the ledger: it failed, or a crash cut
   * it off.
   *
   * @param costMicros what it cost; null if that is unknown
   */
  record Unbooked(String id, List<String> tenants, @Nullable Long costMicros, long tokens) {
    Unbooked {
      tenants = List.copyOf(tenants);
    }
  }

  /**
   * One verdict with the key and trace of its record.
   *
   * @param tokens its share of what the call used
   */
  record Entry(String key, @Nullable String traceparent, Verdict verdict, long tokens) {}

  /** An answered batch. */
  record Answered(String id, long last, List<Entry> entries) {
    Answered {
      entries = List.copyOf(entries);
    }
  }

  /**
   * Opens the journal, creating it if it is missing.
   *
   * @throws dev.flyball.ops.telemetry.StartFailure if the folder cannot be used
   */
  static CallJournal open(Path file) {
    Database db = Database.open(file, CallJournal.class, "choose a writable --data folder");
    // An answer that cost money must survive a power cut too.
    db.update("PRAGMA synchronous = FULL");
    return new CallJournal(db);
  }

  /**
   * Records a call that is about to be made; returns its batch id.
   *
   * @param first the offset of its first question in triage-requests
   * @param tenants that of each question's item, in their order
   */
  String asked(String topicId, long first, long last, List<String> tenants, Instant now) {
    int before =
        db.first(
                row -> row.getInt(1),
                "SELECT COUNT(*) FROM batch WHERE topic_id = ? AND first_offset = ?",
                topicId,
                first)
            .orElse(0);
    String id = "b" + first + "." + (before + 1) + "-" + topicId + "-" + name;
    db.update(
        "INSERT INTO batch"
            + " (id, topic_id, first_offset, last_offset, items, tenants, state, asked_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, 'asked', ?)",
        id,
        topicId,
        first,
        last,
        tenants.size(),
        RecordJson.write(tenants),
        now.toString());
    return id;
  }

  /** Records what a call cost that gave no verdicts; it is booked next. */
  void cost(String id, long costMicros, long tokens) {
    db.update("UPDATE batch SET cost_micros = ?, tokens = ? WHERE id = ?", costMicros, tokens, id);
  }

  /** The calls to book. */
  List<Unbooked> unbooked() {
    return db.list(
        row ->
            new Unbooked(
                row.getString(1),
                List.of(RecordJson.read(row.getString(2), String[].class)),
                Database.number(row, "cost_micros"),
                row.getLong(4)),
        "SELECT id, tenants, cost_micros, tokens FROM batch WHERE state = 'asked'");
  }

  /** Records that a call was booked. Its row stays, so that the next call has another id. */
  void booked(Unbooked call) {
    db.update("UPDATE batch SET state = 'published' WHERE id = ?", call.id());
  }

  /** Records the call's answer. */
  void answered(Answered answer, Instant now) {
    db.update(
        "UPDATE batch SET state = 'answered', answer = ?, answered_at = ? WHERE id = ?",
        RecordJson.write(answer.entries()),
        now.toString(),
        answer.id());
  }

  /**
   * Records that its verdicts are in the topic and its questions' offsets committed. Old rows go,
   * those of calls that a crash cut off too.
   */
  void published(String id) {
    db.update("UPDATE batch SET state = 'published' WHERE id = ?", id);
    db.update(
        "DELETE FROM batch WHERE state <> 'answered' AND rowid <="
            + " (SELECT MAX(rowid) FROM batch) - ?",
        KEPT);
  }

  /** The answer of the batch that began with this question, if there is one. */
  Optional<Answered> answeredAt(String topicId, long first) {
    return db.first(
        row ->
            new Answered(
                row.getString(1),
                row.getLong(2),
                List.of(RecordJson.read(row.getString(3), Entry[].class))),
        "SELECT id, last_offset, answer FROM batch WHERE topic_id = ? AND first_offset = ?"
            + " AND answer IS NOT NULL ORDER BY rowid DESC LIMIT 1",
        topicId,
        first);
  }

  @Override
  public void close() {
    db.close();
  }
}
