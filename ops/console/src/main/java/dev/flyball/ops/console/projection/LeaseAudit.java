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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

  /**
   * Compares the sessions that started, as events report them, with the claims that took effect in
   * the ledger. The fold itself never shows more sessions than the cap; an agent that runs without
   * an effective claim is how the cap would be broken. Pure; used by one thread.
   */
  static final class Permits {
    /** Most claims and starts that are kept; older ones are not judged. */
    static final int KEPT = 10_000;

    private final Deque<Started> waiting = new ArrayDeque<>();
    private final Map<Long, String> claimed = new LinkedHashMap<>();

    /** Claims up to this offset are not known. */
    private long unknownTo;

    /**
     * A session that was started.
     *
     * @param claim offset of the claim that its runner names
     */
    record Started(String session, long claim, Instant at) {}

    /** Begins with the claims after this offset. */
    Permits(long unknownTo) {
      this.unknownTo = unknownTo;
    }

    /** Records a claim that took effect. */
    void claimed(long offset, String session) {
      claimed.put(offset, session);
      if (claimed.size() > KEPT) {
        long oldest = claimed.keySet().iterator().next();
        claimed.remove(oldest);
        unknownTo = oldest;
      }
    }

    /** Records a start; it is judged once the ledger was read past its claim. */
    void started(Started start) {
      waiting.add(start);
      if (waiting.size() > KEPT) {
        waiting.remove();
      }
    }

    /** The starts without an effective claim, each returned once, of those up to this offset. */
    List<Started> without(long foldedTo) {
      var found = new ArrayList<Started>();
      waiting.removeIf(start -> {
        boolean read = start.claim() <= foldedTo;
        if (read
            && start.claim() > unknownTo
            && !start.session().equals(claimed.get(start.claim()))) {
          found.add(start);
        }
        return read;
      });
      return found;
    }
  }
}
