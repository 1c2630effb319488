package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Token;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * The ledger: read, folded, and compared with the sessions that started: starts come from events,
 * permits from the ledger. One thread.
 */
final class LedgerInput implements AutoCloseable {
  private final Projection projection;
  private final TopicPartition partition;
  private final LedgerReader reader;
  private LedgerState state;
  private final Permits permits;
  private boolean kept;
  private long keptTo;

  /**
   * Opens the ledger.
   *
   * @param contact how often Kafka is asked whether it answers
   */
  LedgerInput(KafkaClients clients, Projection projection, Duration contact) {
    this.projection = projection;
    this.partition = new TopicPartition(clients.topics().sessionLedger(), 0);
    this.reader = LedgerReader.open(clients, contact);
    this.state = reader.start();
    this.permits = new Permits(state.offset());
  }

  TopicPartition partition() {
    return partition;
  }

  LedgerReader reader() {
    return reader;
  }

  LedgerState state() {
    return state;
  }

  /** Takes an event; only starts matter, and only those that name this ledger. */
  void saw(LifecycleEvent event) {
    if (event.type() != EventType.SESSION_SPAWNED || !event.data().has(Field.TOKEN)) {
      return;
    }
    Token token = Token.parse(event.data().text(Field.TOKEN).orElseThrow());
    if (token.topicId().equals(reader.topicId())) {
      String session = event.data().text(Field.SESSION).orElse("");
      permits.started(new Permits.Started(session, token.offset(), event.time()));
    }
  }

  /** Folds the next entries, waiting at most this long for some; returns whether there were any. */
  boolean fold(Duration atMost) {
    boolean moved = false;
    // A new consumer that is polled without waiting takes many polls to fetch its first record.
    Duration wait = reader.caughtUp() ? Duration.ZERO : atMost;
    for (LedgerRecord record : reader.poll(wait)) {
      state =
          record
              .maybeEntry()
              .map(entry ->
                  permitted(
                      state.fold(entry, record.offset(), record.appendTime()), record.offset()))
              .orElseGet(() -> state.skip(record.offset()));
      moved = true;
    }
    kept &= !moved;
    return moved;
  }

  private LedgerState permitted(Folded folded, long offset) {
    if (folded.effect() instanceof Effect.Claimed claimed) {
      permits.claimed(offset, claimed.lease().session());
    }
    return folded.state();
  }

  /** Whether the state itself is stored up to what was read. */
  boolean kept() {
    return kept;
  }

  /** Stores the rows of the state, within the projection's transaction. */
  void put(Instant now) throws SQLException {
    projection.ledger.put(state, now);
    for (Permits.Started start : permits.without(state.offset())) {
      projection.alarms.unpermitted(start.session(), start.at());
    }
  }

  /** Stores the state itself, within the projection's transaction. */
  void keep() throws SQLException {
    projection.ledger.keep(state);
  }

  /** Records that what was stored is committed. */
  void keptNow() {
    kept = true;
    keptTo = reader.position();
  }

  /** How far the stored state goes. */
  long keptTo() {
    return keptTo;
  }

  Instant answered() {
    return reader.answered();
  }

  @Override
  public void close() {
    reader.close();
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
