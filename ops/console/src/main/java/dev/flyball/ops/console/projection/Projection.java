package dev.flyball.ops.console.projection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
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

  /** Events that are counted under these names; {@link Figures} shows them. */
  static final Map<EventType, String> COUNTED =
      Map.of(
          EventType.SESSION_HUNG, "hung",
          EventType.SESSION_KILLED, "killed",
          EventType.ITEM_ROTATED, "rotated",
          EventType.ITEM_DEFERRED, "deferred");

  /** The counter of leases of silent runners. */
  static final String TAKEOVERS = "takeovers";

  /** Older takeovers would look like new ones where the projection is built again. */
  private final Instant recent = Instant.now().minus(Duration.ofHours(1));

  private final Path data;
  private final int timeline;
  private final int sessions;

  /** As long as the topic session-events keeps them. Without it every item ever seen stays. */
  static final Duration EVENTS_KEPT = Duration.ofDays(30);

  private final Database sql;
  private final SessionTable sessionTable;

  // The rows, which steps of a transaction read and change.
  final AlarmTable alarms;
  final ItemTable items;
  final LedgerTable ledger;
  final HistoryTables history;
  final MetricFold metrics;

  /**
   * Subjects whose timelines grew in this transaction; {@code touchedSession} says whether a
   * session ended in it.
   */
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
    this.alarms = new AlarmTable(sql);
    this.sessionTable = new SessionTable(sql, alarms);
    this.items = new ItemTable(sql);
    this.ledger = new LedgerTable(sql, alarms);
    this.history = new HistoryTables(sql);
    this.metrics = new MetricFold(sql);
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
   * Checks that the rows are those of this cluster and these topics, none of which has lost what
   * was read. Otherwise deletes all of them, because offsets of another topic have no meaning here,
   * and a truncated one would be read on top of its old rows.
   *
   * @param ids cluster and topic ids by name
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
    history.forgetBefore(oldest);
  }

  /**
   * Stores an event and counts it. Progress changes only its session's row: it is too frequent for
   * a timeline.
   */
  void event(LifecycleEvent event) {
    Optional<String> session = event.data().text(Field.SESSION);
    if (event.type() != EventType.SESSION_PROGRESSED) {
      sql.update(
          "INSERT INTO event (subject, time, type, source, session, data) VALUES (?, ?, ?, ?, ?,"
              + " ?)",
          event.subject(),
          event.time(),
          event.type().type(),
          event.source(),
          session.orElse(null),
          withoutAnswer(event));
      touched.add(event.subject());
    }
    history.event(event);
    String tenant = TenantScope.tenantOf(event.subject());
    if (event.type() == EventType.ITEM_TRIAGED) {
      ProjectionFile.count(sql, tenant, "cost", event.data().number(Field.COST_MICROS).orElse(0));
    }
    String counted = COUNTED.get(event.type());
    if (counted != null && !MetricFold.unended(event)) {
      ProjectionFile.count(sql, tenant, "event:" + counted, 1);
    }
    if (MetricFold.expired(event) && event.time().isAfter(recent)) {
      ProjectionFile.count(sql, tenant, TAKEOVERS, 1);
    }
    Optional<String> saved = saved(event);
    long average = saved.isPresent() ? ProjectionFile.averageCost(sql) : 0;
    if (average > 0) {
      ProjectionFile.count(sql, tenant, "saved:" + saved.orElseThrow(), average);
    }
    if (session.isPresent() && event.type().type().startsWith("flyball.session.")) {
      touchedSession |= sessionTable.apply(session.get(), event);
    }
  }

  /** What saved a session with this event, {@code dedup} or {@code triage}; empty for nothing. */
  static Optional<String> saved(LifecycleEvent event) {
    return switch (event.type()) {
      case ITEM_DUPLICATE -> Optional.of("dedup");
      // Without a model an operator or an exclusion skipped it.
      case ITEM_SKIPPED -> Optional.of("triage").filter(it -> event.data().has(Field.MODEL));
      default -> Optional.empty();
    };
  }

  /** Stores a dead letter and counts it. */
  void deadLetter(ConsumerRecord<String, byte[]> letter) {
    history.deadLetter(letter);
    ProjectionFile.count(sql, TenantScope.tenantOf(letter.key()), "dead-letters", 1);
  }

  /** The figures that metrics and health show; empty before the first commit. */
  Figure figure() {
    return new Figure(
        ProjectionFile.backlog(sql),
        ProjectionFile.oldest(sql).orElse(null),
        ProjectionFile.counters(sql),
        ProjectionFile.broken(sql));
  }

  /** The figures that {@link #figure} returns. */
  record Figure(
      long backlog,
      @Nullable Instant oldest,
      Map<String, Long> counters,
      List<BrokenInvariant> broken) {}

  @Override
  public void close() {
    sql.close();
  }

  /** The event's data without an answer: the answer is stored once, as the analysis. */
  private static String withoutAnswer(LifecycleEvent event) {
    JsonNode data = RecordJson.tree(event.data());
    if (data instanceof ObjectNode fields) {
      fields.remove(Field.RESULT.json());
    }
    return RecordJson.write(data);
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

  /** The rows of the ledger's state: leases, runners, pauses, cap, and the broken invariants. */
  static final class LedgerTable {
    private final Database sql;
    private final AlarmTable alarms;

    LedgerTable(Database sql, AlarmTable alarms) {
      this.sql = sql;
      this.alarms = alarms;
    }

    /** Stores the current leases, runners, pauses and the cap, and what is broken. */
    void put(LedgerState ledger, Instant now) {
      for (String table : List.of("lease", "runner", "pause")) {
        sql.update("DELETE FROM " + table);
      }
      ProjectionFile.putMeta(sql, "broken", RecordJson.write(alarms.now(now)));
      ProjectionFile.putMeta(sql, "cap", Integer.toString(ledger.cap()));
      for (Lease lease : ledger.leases()) {
        sql.update(
            "INSERT INTO lease (session, item, tenant, runner, attempt, claimed_at, tokens,"
                + " cost_micros) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            lease.session(),
            lease.item().toString(),
            lease.item().tenant(),
            lease.runner(),
            lease.attempt(),
            Instant.ofEpochMilli(lease.claimedMs()),
            lease.tokens(),
            lease.costMicros());
      }
      for (LedgerEntry.Runner runner : ledger.runners()) {
        sql.update(
            "INSERT INTO runner (id, level, slots, refusing) VALUES (?, ?, ?, ?)",
            runner.id(),
            runner.level(),
            runner.slots(),
            runner.refusing());
      }
      for (LedgerEntry.Pause pause : ledger.pauses(now)) {
        sql.update(
            "INSERT INTO pause (scope, line) VALUES (?, ?)",
            pause.scope(),
            LedgerHealth.line(pause));
      }
    }

    /** Stores the ledger's state itself, so that readers of the file can query it. */
    void keep(LedgerState ledger) {
      ProjectionFile.putMeta(sql, ProjectionFile.LEDGER, RecordJson.write(ledger.snapshot()));
    }
  }
}
