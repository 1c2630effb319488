package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.ClaimRule;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.operate.DeadLetters;
import dev.flyball.sqlite.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The rows of what happened besides sessions: polls, breakers, dead letters and what operators did.
 * Used by the projection's thread.
 */
final class HistoryTables {
  /** Polls kept of one source. */
  static final int POLLS_KEPT = 100;

  /** Dead letters kept; the topic holds all of a month. */
  static final int LETTERS_KEPT = 1_000;

  /** What is larger is part of a checkpoint. */
  private static final int LARGEST_OPERATOR_ENTRY = 16 * 1024;

  /** What an operator did to an item or a scope; one that is known already stays as it is. */
  private static final String ACTION =
      "INSERT OR IGNORE INTO action (id, at, tenant, who, what, target, why, applied, detail,"
          + " ledger_offset) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private final Database sql;

  HistoryTables(Database sql) {
    this.sql = sql;
  }

  /** Stores an event of a poll, a breaker or a command; others change nothing. */
  void event(LifecycleEvent event) {
    switch (event.type()) {
      case POLL_STARTED -> polled(event, null);
      case POLL_FINISHED -> polled(event, "finished");
      case POLL_SKIPPED -> polled(event, "skipped");
      case POLL_FAILED -> polled(event, "failed");
      case BREAKER_OPENED -> breaker(event, "open");
      case BREAKER_HALF_OPENED -> breaker(event, "halfOpen");
      case BREAKER_CLOSED -> breaker(event, "closed");
      case COMMAND_DONE -> command(event, true);
      case COMMAND_REFUSED -> command(event, false);
      default -> {}
    }
  }

  /** Stores an operator's entry of the ledger; other records change nothing. */
  void entry(ConsumerRecord<String, byte[]> record) {
    byte[] value = record.value();
    if (value != null && value.length <= LARGEST_OPERATOR_ENTRY) {
      Optional<LedgerEntry> entry = LedgerEntry.parse(value);
      if (entry.isPresent()) {
        entry(entry.get(), record.offset(), Instant.ofEpochMilli(record.timestamp()));
      }
    }
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

  /** Deletes what happened before this time. */
  void forgetBefore(Instant oldest) {
    sql.update("DELETE FROM dead_letter WHERE at < ?", oldest);
    sql.update("DELETE FROM action WHERE at < ?", oldest);
    sql.update("DELETE FROM poll WHERE at < ?", oldest);
    sql.update("DELETE FROM metric_window WHERE size IN ('1m', '1h') AND start < ?", oldest);
  }

  /** Stores a window of the metrics topic; it replaces an earlier record of the same window. */
  void window(MetricWindow window) {
    sql.update(
        "INSERT OR REPLACE INTO metric_window (size, start, tenant, json) VALUES (?, ?, ?, ?)",
        window.size(),
        window.start(),
        window.tenant(),
        RecordJson.write(window));
  }

  /** Stores the start of a poll, or its end, which has a result. */
  private void polled(LifecycleEvent event, @Nullable String result) {
    EventData data = event.data();
    sql.update(
        "INSERT INTO poll (source, tenant, poll, started_at, ended_at, result, reason, category,"
            + " polled, changed, duplicates, invalid, next, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,"
            + " ?, ?, ?, ?, ?) ON CONFLICT (source, poll) DO UPDATE SET started_at ="
            + " coalesce(excluded.started_at, started_at), ended_at = coalesce(excluded.ended_at,"
            + " ended_at), result = coalesce(excluded.result, result), reason ="
            + " coalesce(excluded.reason, reason), category = coalesce(excluded.category,"
            + " category), polled = max(excluded.polled, polled), changed = max(excluded.changed,"
            + " changed), duplicates = max(excluded.duplicates, duplicates), invalid ="
            + " max(excluded.invalid, invalid), next = coalesce(excluded.next, next)",
        event.subject(),
        TenantScope.tenantOf(event.subject()),
        data.text(Field.POLL).orElse(event.id()),
        result == null ? event.time() : null,
        result == null ? null : event.time(),
        result,
        data.text(Field.REASON).orElse(null),
        data.text(Field.CATEGORY).orElse(null),
        data.number(Field.POLLED).orElse(0),
        data.number(Field.CHANGED).orElse(0),
        data.number(Field.DUPLICATES).orElse(0),
        data.number(Field.INVALID).orElse(0),
        data.text(Field.NEXT).orElse(null),
        event.time());
    sql.update(
        "DELETE FROM poll WHERE source = ?1 AND at <= (SELECT at FROM poll WHERE source = ?1 ORDER"
            + " BY at DESC LIMIT 1 OFFSET ?2)",
        event.subject(),
        POLLS_KEPT);
  }

  private void breaker(LifecycleEvent event, String state) {
    sql.update(
        "INSERT OR REPLACE INTO breaker (source, state, until, reason) VALUES (?, ?, ?, ?)",
        event.subject(),
        state,
        event.data().text(Field.UNTIL).orElse(null),
        event.data().text(Field.REASON).orElse(null));
  }

  /** Stores the answer of a command on an item. */
  private void command(LifecycleEvent event, boolean applied) {
    EventData data = event.data();
    String before = data.text(Field.BEFORE).orElse("unknown");
    sql.update(
        ACTION,
        "event:" + data.text(Field.COMMAND_ID).orElse(event.id()),
        event.time(),
        TenantScope.tenantOf(event.subject()),
        data.text(Field.WHO).orElse("unknown"),
        data.text(Field.COMMAND).orElse("unknown"),
        event.subject(),
        data.text(Field.REASON).orElse(""),
        applied ? 1 : 0,
        applied ? before + " -> " + data.text(Field.AFTER).orElse("unknown") : before,
        null);
  }

  /**
   * Stores an operator's entry of the ledger; others change nothing. The ledger's rule is applied
   * to the entries that are kept: one has effect if its writer had seen the scope's last effective
   * one.
   */
  void entry(LedgerEntry entry, long offset, Instant at) {
    if (!(entry instanceof LedgerEntry.OfScope change)) {
      return;
    }
    String scope = change.scope();
    boolean later =
        sql.first(
                Boolean.class,
                "SELECT EXISTS (SELECT 1 FROM action WHERE target = ? AND ledger_offset > ? AND"
                    + " ledger_offset < ? AND applied = 1)",
                scope,
                change.seen(),
                offset)
            .orElse(false);
    boolean resumes = change instanceof LedgerEntry.Resume;
    boolean applied = !later && (!resumes || paused(scope, change.seen(), offset));
    sql.update(
        ACTION,
        "ledger:" + offset,
        at,
        Scope.tenantOf(scope),
        change.who(),
        what(change),
        scope,
        change.why(),
        applied ? 1 : 0,
        detail(change),
        offset);
  }

  private static String what(LedgerEntry.OfScope change) {
    return switch (change) {
      case LedgerEntry.Cap _ -> "cap";
      case LedgerEntry.Pause _ -> "pause";
      case LedgerEntry.Resume _ -> "resume";
      case LedgerEntry.Budget _ -> "budget";
    };
  }

  private static @Nullable String detail(LedgerEntry.OfScope change) {
    return switch (change) {
      case LedgerEntry.Cap cap ->
          cap.limit() == ClaimRule.NO_CAP ? "no cap" : Integer.toString(cap.limit());
      case LedgerEntry.Pause pause -> pause.until() == null ? null : "until " + pause.until();
      case LedgerEntry.Resume _ -> null;
      case LedgerEntry.Budget budget -> text(budget.limits());
    };
  }

  /**
   * Whether a scope was paused before this offset: only then a resume has effect. Where no pause or
   * resume of it is kept any more, but its writer had seen some entry of the scope, that was an
   * older pause: what is kept goes back 30 days, and a pause may last longer.
   */
  private boolean paused(String scope, long seen, long offset) {
    return sql.first(
            row -> row.getString(1).equals("pause"),
            "SELECT what FROM action WHERE target = ? AND ledger_offset < ? AND applied = 1 AND"
                + " what IN ('pause', 'resume') ORDER BY ledger_offset DESC LIMIT 1",
            scope,
            offset)
        .orElse(seen >= 0);
  }

  private static String text(Limits limits) {
    var parts = new ArrayList<String>(2);
    if (limits.dailyCostMicros() != null) {
      parts.add(Dollars.exact(limits.dailyCostMicros()) + " USD");
    }
    if (limits.dailyTokens() != null) {
      parts.add(limits.dailyTokens() + " tokens");
    }
    return parts.isEmpty() ? "no limit" : String.join(", ", parts) + " a day";
  }
}
