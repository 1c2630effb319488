package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.operate.DeadLetters;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The projection's one writer. Rows are committed together with the offsets after the records that
 * made them, so every record counts exactly once, whatever process is killed. One thread.
 */
final class Projection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Projection.class);

  /** An event that was written later than this after it happened is in no window but as late. */
  static final Duration GRACE = Duration.ofDays(1);

  /** By how much the clock of a writer may be ahead. */
  private static final Duration AHEAD = Duration.ofHours(1);

  private static final int LONGEST_TENANT = 200;

  /** Dead letters kept; the topic holds all of a month. */
  static final int LETTERS_KEPT = 1_000;

  private final Path data;
  private final int timeline;
  private final int sessions;

  /** As long as the topic session-events keeps them. Without it every item ever seen stays. */
  static final Duration EVENTS_KEPT = Duration.ofDays(30);

  private final Database sql;

  // The rows, which steps of a transaction read and change.
  final ItemTable items;
  final LedgerTable ledger;
  final MetricTable metrics;

  /** Subjects whose timelines grew in this transaction, and whether a session ended in it. */
  private final Set<String> touched = new HashSet<>();

  private boolean touchedSession;

  /**
   * Opens the file.
   *
   * @param timeline most events kept of one item
   * @param sessions most ended sessions kept
   * @throws StartFailure if it cannot be used
   */
  Projection(Path data, int timeline, int sessions) {
    this.data = data;
    this.timeline = timeline;
    this.sessions = sessions;
    this.sql = ProjectionFile.open(data);
    this.items = new ItemTable(sql);
    this.ledger = new LedgerTable(sql);
    this.metrics = new MetricTable(sql);
  }

  /**
   * Closes and deletes the file, which is damaged, and returns an empty projection in its place.
   *
   * @throws StartFailure if it cannot be deleted or made
   */
  Projection rebuilt() {
    close();
    ProjectionFile.delete(data);
    return new Projection(data, timeline, sessions);
  }

  /** Commits the whole step, or nothing of it. */
  void commit(Runnable step) {
    touched.clear();
    touchedSession = false;
    sql.transaction(() -> {
      step.run();
      prune();
      return touchedSession;
    });
  }

  /**
   * Checks that the rows are those of these topics, none of which has lost what was read. Otherwise
   * deletes all of them, because offsets of another topic have no meaning here, and a truncated one
   * would be read on top of its old rows.
   *
   * @param ids of the topics by name; those of two clusters differ
   * @param ends where the partitions end
   * @return whether all rows were deleted
   */
  boolean belongTo(Map<String, String> ids, Map<TopicPartition, Long> ends) {
    String why = "";
    for (var id : ids.entrySet()) {
      String known = ProjectionFile.meta(sql, "id:" + id.getKey()).orElse(id.getValue());
      if (!known.equals(id.getValue())) {
        why = "it belongs to another cluster or to topics that were recreated";
      }
    }
    for (var end : ends.entrySet()) {
      if (next(end.getKey()).orElse(0L) > end.getValue()) {
        why = end.getKey() + " ends before records that were read from it";
      }
    }
    if (!why.isEmpty()) {
      LOG.warn("rebuilding the projection: {}", why);
      forget();
    }
    // Known ones are not written again: a full disk allows reading.
    for (var id : ids.entrySet()) {
      sql.update(
          "INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)",
          "id:" + id.getKey(),
          id.getValue());
    }
    return !why.isEmpty();
  }

  /** The offset at which to continue; empty if nothing was read yet. */
  Optional<Long> next(TopicPartition partition) {
    return sql.first(
        Long.class,
        "SELECT next FROM position WHERE topic = ? AND partition = ?",
        partition.topic(),
        partition.partition());
  }

  /** Stores the offset at which to continue: offsets of another topic have no meaning. */
  void readTo(TopicPartition partition, long next) {
    sql.update(
        "INSERT OR REPLACE INTO position (topic, partition, next) VALUES (?, ?, ?)",
        partition.topic(),
        partition.partition(),
        next);
  }

  /** Deletes all rows. */
  void forget() {
    List<String> tables =
        sql.list(String.class, "SELECT name FROM sqlite_master WHERE type = 'table'");
    for (String table : tables) {
      sql.update("DELETE FROM " + table);
    }
  }

  /**
   * Records when Kafka last answered, and deletes what is older than its topic keeps.
   *
   * @param contact that time; Kafka's silence must not look like news that there is nothing new
   */
  void asOf(Instant contact) {
    ProjectionFile.putMeta(sql, "as-of", contact.toString());
    Instant oldest = contact.minus(EVENTS_KEPT);
    sql.update("DELETE FROM event WHERE time < ?", oldest);
    sql.update("DELETE FROM session WHERE ended_at < ?", oldest);
    for (String table : List.of("action", "dead_letter", "poll")) {
      sql.update("DELETE FROM " + table + " WHERE at < ?", oldest);
    }
    sql.update("DELETE FROM metric_window WHERE start < ?", oldest);
  }

  /**
   * Stores an event and counts it, by the schema's triggers. OR FAIL: the transaction undoes what a
   * failure leaves, so SQLite need not be able to undo each event.
   *
   * @param written the time of its record. Lateness is measured against it and not against a clock,
   *     so that a replay counts every event in the same window
   */
  void event(LifecycleEvent event, Instant written) {
    EventType type = event.type();
    String name = type.type().substring("flyball.".length(), type.type().lastIndexOf('.'));
    String tenant = TenantScope.tenantOf(event.subject());
    Instant at = event.time();
    boolean late = at.isBefore(written.minus(GRACE)) || at.isAfter(written.plus(AHEAD));
    sql.update(
        "INSERT OR FAIL INTO happened (id, type, name, subject, tenant, source, time, millis,"
            + " counter, session, outcome, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        event.id(),
        type.type(),
        name,
        event.subject(),
        tenant,
        event.source(),
        at,
        late ? null : at.toEpochMilli(),
        counter(tenant),
        event.data().text(Field.SESSION).orElse(null),
        type.terminal()
            ? event.data().text(Field.OUTCOME).orElse(name.substring("session.".length()))
            : null,
        RecordJson.write(event.data()));
    if (late) {
      counted("late", tenant, written);
    }
    // Progress reports are no part of a timeline.
    if (type != EventType.SESSION_PROGRESSED) {
      touched.add(event.subject());
    }
    touchedSession |= type.terminal();
  }

  /** Counts an event whose type is unknown, or that cannot be read. */
  void unreadable(@Nullable String subject, Instant written) {
    counted("other", TenantScope.tenantOf(subject), written);
  }

  /** Counts an event in its window only. */
  private void counted(String name, String tenant, Instant written) {
    sql.update(
        "INSERT OR FAIL INTO happened (name, millis, counter, data) VALUES (?, ?, ?, '{}')",
        name,
        written.toEpochMilli(),
        counter(tenant));
  }

  private static String counter(String tenant) {
    return tenant.isEmpty() || tenant.length() > LONGEST_TENANT ? "-" : tenant;
  }

  /** Stores a dead letter by its own place, and deletes the oldest ones. */
  void deadLetter(ConsumerRecord<String, byte[]> record) {
    DeadLetter letter = DeadLetters.of(record);
    sql.update(
        "INSERT OR REPLACE INTO dead_letter (part, position, tenant, key, at, reason, topic,"
            + " partition, offset, by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        record.partition(),
        record.offset(),
        TenantScope.tenantOf(record.key()),
        record.key(),
        letter.at(),
        letter.reason(),
        letter.topic(),
        letter.partition(),
        letter.offset(),
        letter.by());
    sql.update(
        "DELETE FROM dead_letter WHERE (at, part, position) <= (SELECT at, part, position FROM"
            + " dead_letter ORDER BY at DESC, part DESC, position DESC LIMIT 1 OFFSET ?)",
        LETTERS_KEPT);
  }

  /** The figures that metrics and health show. */
  ProjectionFile.Figure figure() {
    return ProjectionFile.figure(sql);
  }

  @Override
  public void close() {
    sql.close();
  }

  /** Limits timelines and ended sessions to their maximum; only where something was added. */
  private void prune() {
    for (String subject : touched) {
      sql.update(
          "DELETE FROM event WHERE subject = ?1 AND id <="
              + " (SELECT id FROM event WHERE subject = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
          subject,
          timeline);
    }
    if (touchedSession) {
      sql.update(
          "DELETE FROM session WHERE ended_at < (SELECT ended_at FROM session WHERE ended_at IS NOT"
              + " NULL ORDER BY ended_at DESC LIMIT 1 OFFSET ?)",
          sessions);
    }
  }

  /** The rows of items: their state, newest analysis, and the session that should run for them. */
  static final class ItemTable {
    private static final int LONGEST_TEXT = 2_000;

    private final Database sql;

    ItemTable(Database sql) {
      this.sql = sql;
    }

    /** Stores an item's state; null deletes the item and its analysis. */
    void put(String key, @Nullable ItemState state) {
      if (state == null) {
        sql.update("DELETE FROM item WHERE key = ?", key);
        sql.update("DELETE FROM item_state WHERE key = ?", key);
        sql.update("DELETE FROM analysis WHERE item = ?", key);
        return;
      }
      ItemKey parsed = ItemKey.parse(key);
      ItemPhase phase = state.phase();
      Snapshot snapshot = state.snapshot();
      boolean waits = !phase.settled() || state.pending() != null;
      // An item waits since it began to, not since its last step.
      sql.update(
          "INSERT INTO item (key, tenant, source, title, state, turn, reason, revision, priority,"
              + " url, updated_at, waiting_since, spent_micros, text, sorted) VALUES (?, ?, ?, ?,"
              + " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET title ="
              + " excluded.title, state = excluded.state, turn = excluded.turn, reason ="
              + " excluded.reason, revision = excluded.revision, priority = excluded.priority, url"
              + " = excluded.url, updated_at = excluded.updated_at, waiting_since = CASE WHEN"
              + " excluded.waiting_since IS NOT NULL THEN coalesce(waiting_since,"
              + " excluded.waiting_since) END, spent_micros = excluded.spent_micros, text ="
              + " excluded.text",
          key,
          parsed.tenant(),
          parsed.sourceKey(),
          snapshot.title(),
          phase.word(),
          ItemFilter.turn(phase.word()),
          reason(phase),
          snapshot.revision(),
          snapshot.priority(),
          snapshot.url(),
          state.updatedAt(),
          waits ? state.updatedAt() : null,
          state.spentMicros(),
          searched(key, snapshot.title()),
          ItemFilter.sorted(key));
      sql.update(
          "INSERT INTO item_state (key, json) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET json"
              + " = ?2",
          key,
          RecordJson.write(state));
    }

    /** What an item is searched by: its key and the beginning of its title, in lower case. */
    private static String searched(String key, String title) {
      String all = key + "\n" + title;
      return all.substring(0, Math.min(all.length(), LONGEST_TEXT)).toLowerCase(Locale.ROOT);
    }

    void analysis(String item, @Nullable Analysis analysis) {
      if (analysis == null) {
        sql.update("DELETE FROM analysis WHERE item = ?", item);
      } else {
        sql.update(
            "INSERT OR REPLACE INTO analysis (item, json) VALUES (?, ?)",
            item,
            RecordJson.write(analysis));
      }
    }

    /** Stores the session that should run for an item now; deletes it if null. */
    void request(String item, @Nullable SessionRequest request) {
      if (request == null) {
        sql.update("DELETE FROM request WHERE item = ?", item);
      } else {
        sql.update(
            "INSERT OR REPLACE INTO request (item, request, provider, profile, source, turn) VALUES"
                + " (?, ?, ?, ?, ?, ?)",
            item,
            request.request(),
            request.route().provider(),
            request.route().profile(),
            ItemKey.parse(item).sourceKey(),
            SessionRequest.turn(request.priority(), request.since()));
      }
    }

    /** Why an item is in its state; null where the state has no reason. */
    private static @Nullable String reason(ItemPhase phase) {
      return switch (phase) {
        case ItemPhase.New _, ItemPhase.Triaging _, ItemPhase.Analyzed _ -> null;
        case ItemPhase.Skipped p -> p.reason();
        case ItemPhase.Queued p -> p.verdict().reason();
        case ItemPhase.Running p -> "session " + p.session() + " on " + p.runner();
        case ItemPhase.Failed p -> p.reason() + "; next attempt due " + p.due();
        case ItemPhase.Dead p -> p.reason();
        case ItemPhase.Cancelled p -> p.reason();
        case ItemPhase.Closed p -> p.reason();
      };
    }
  }
}
