package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What events report against an invariant: processes that outlive their session, second terminal
 * events, and sessions without a permit. An alarm lasts until an event withdraws it. One that is
 * not reported again for an hour is dropped, because there may be no runner left to withdraw it.
 * Used by the projection's thread.
 */
final class AlarmTable {
  /**
   * How long an alarm lasts without a new report; a runner reports every ten minutes what it cannot
   * end.
   */
  static final Duration KEPT = Duration.ofHours(1);

  private static final String SURVIVORS = "survivors";
  private static final String SECOND_TERMINAL = "second-terminal";
  private static final String UNPERMITTED = "unpermitted";

  private final Database sql;

  AlarmTable(Database sql) {
    this.sql = sql;
  }

  /**
   * The broken invariants.
   *
   * @param survivors processes that outlive sessions which have ended
   * @param secondTerminals sessions that ended twice
   * @param unpermitted sessions that started without an effective claim
   */
  record Alarms(Alarm survivors, Alarm secondTerminals, Alarm unpermitted) {
    static final Alarms NONE = new Alarms(Alarm.NONE, Alarm.NONE, Alarm.NONE);
  }

  /**
   * The alarm of one rule.
   *
   * @param amount the reported amount; 0 if there is no report
   * @param since the first report
   */
  record Alarm(long amount, Instant since) {
    static final Alarm NONE = new Alarm(0, Instant.EPOCH);
  }

  /** Records what an event reports about a session's remaining processes. */
  void survivors(String session, LifecycleEvent event) throws SQLException {
    OptionalLong left = survivors(event.data());
    if (left.isEmpty()) {
      return;
    }
    if (left.getAsLong() > 0) {
      raise(SURVIVORS, session, left.getAsLong(), event.time());
    } else {
      sql.update("DELETE FROM alarm WHERE rule = ? AND session = ?", SURVIVORS, session);
    }
  }

  /** Records a second terminal event of a session. */
  void secondTerminal(String session, Instant at) throws SQLException {
    raise(SECOND_TERMINAL, session, 1, at);
  }

  /** Records a session that started without an effective claim. */
  void unpermitted(String session, Instant at) throws SQLException {
    raise(UNPERMITTED, session, 1, at);
  }

  /**
   * The alarms in force. Survivors of a session that has not ended are no breach: it keeps its
   * lease and its slot.
   */
  Alarms now(Instant now) throws SQLException {
    sql.update("DELETE FROM alarm WHERE reported < ?", now.minus(KEPT));
    return new Alarms(
        of(
            SURVIVORS,
            " AND NOT EXISTS (SELECT 1 FROM session WHERE id = alarm.session AND outcome IS NULL)"),
        of(SECOND_TERMINAL, ""),
        of(UNPERMITTED, ""));
  }

  private Alarm of(String rule, String further) throws SQLException {
    List<Alarm> found =
        sql.list(
            row -> new Alarm(row.getLong("amount"), Instant.parse(row.getString("since"))),
            "SELECT amount, since FROM alarm WHERE rule = ?" + further + " ORDER BY since",
            rule);
    return found.isEmpty()
        ? Alarm.NONE
        : new Alarm(found.stream().mapToLong(Alarm::amount).sum(), found.getFirst().since());
  }

  private void raise(String rule, String session, long amount, Instant at) throws SQLException {
    sql.update(
        "INSERT INTO alarm (rule, session, amount, since, reported) VALUES (?1, ?2, ?3, ?4, ?4)"
            + " ON CONFLICT (rule, session) DO UPDATE SET amount = ?3, reported = ?4",
        rule,
        session,
        amount,
        at);
  }

  private static OptionalLong survivors(EventData data) {
    Optional<Receipt> receipt = data.record(Field.RECEIPT, Receipt.class);
    Integer counted = receipt.map(Receipt::survivors).orElse(null);
    return counted == null ? data.number(Field.SURVIVORS) : OptionalLong.of(counted);
  }
}
