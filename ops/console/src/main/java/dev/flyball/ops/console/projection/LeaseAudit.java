package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Token;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.time.Instant;

/**
 * Counts the leases that a witness ended, and finds sessions that started without a permit. Every
 * start of the console folds the ledger again from a checkpoint, yet each takeover counts once. A
 * projection without history counts from its start on: old takeovers would look like new ones. Used
 * by the projection's thread.
 */
final class LeaseAudit {
  /** The counter's name. */
  static final String TAKEOVERS = "takeovers";

  private static final String COUNTED_TO = "takeovers-to";

  private final Database sql;
  private final Counters counters;
  private final AlarmTable alarms;
  private final String ledger;
  private final Instant opened = Instant.now();
  private final Permits permits;

  /** Offset up to which all takeovers are counted, -1 without history. */
  private final long countedTo;

  private long stored;
  private long last;
  private long found;

  /**
   * Begins after an offset.
   *
   * @param ledger the ledger's topic id: tokens of another one are not judged
   */
  LeaseAudit(Database sql, Counters counters, AlarmTable alarms, String ledger, long from)
      throws SQLException {
    this.sql = sql;
    this.counters = counters;
    this.alarms = alarms;
    this.ledger = ledger;
    this.permits = new Permits(from);
    this.last = from;
    this.countedTo = ProjectionFile.meta(sql, COUNTED_TO).map(Long::parseLong).orElse(-1L);
    this.stored = countedTo;
  }

  /** Takes the next entry's effect; returns the state after it. */
  LedgerState after(Folded folded, long offset, Instant appendTime) {
    boolean fresh = countedTo < 0 ? !appendTime.isBefore(opened) : offset > countedTo;
    if (folded.effect() instanceof Effect.Claimed claimed) {
      permits.claimed(offset, claimed.lease().session());
    } else if (fresh && folded.effect() instanceof Effect.Expired) {
      found++;
    }
    last = Math.max(last, offset);
    return folded.state();
  }

  /** Takes an event; only starts matter. */
  void saw(LifecycleEvent event) {
    if (event.type() != EventType.SESSION_SPAWNED || !event.data().has(Field.TOKEN)) {
      return;
    }
    Token token = Token.parse(event.data().text(Field.TOKEN).orElseThrow());
    if (token.topicId().equals(ledger)) {
      String session = event.data().text(Field.SESSION).orElse("");
      permits.started(new Permits.Started(session, token.offset(), event.time()));
    }
  }

  /** Stores what was found since the last call. */
  void store() throws SQLException {
    for (Permits.Started start : permits.without(last)) {
      alarms.unpermitted(start.session(), start.at());
    }
    if (last <= stored) {
      return;
    }
    if (found > 0) {
      counters.count("", TAKEOVERS, found);
    }
    ProjectionFile.putMeta(sql, COUNTED_TO, Long.toString(last));
    found = 0;
    stored = last;
  }
}
