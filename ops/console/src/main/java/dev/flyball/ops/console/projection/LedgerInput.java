package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.common.TopicPartition;

/** The ledger: read, folded, and watched for broken invariants. One thread. */
final class LedgerInput implements AutoCloseable {
  private final Projection projection;
  private final TopicPartition partition;
  private final LedgerReader reader;
  private final Invariants invariants;
  private LedgerState state;
  private LeaseAudit audit;
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
    this.invariants = new Invariants(state);
    this.audit = projection.audit(reader.topicId(), state.offset());
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

  /** Begins the audit again, because the projection is made again. */
  void auditAgain() {
    audit = projection.audit(reader.topicId(), state.offset());
  }

  void saw(LifecycleEvent event) {
    audit.saw(event);
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
                  audit.after(
                      state.fold(entry, record.offset(), record.appendTime()),
                      record.offset(),
                      record.appendTime()))
              .orElseGet(() -> state.skip(record.offset()));
      invariants.observe(state, record.appendTime());
      moved = true;
    }
    kept &= !moved;
    return moved;
  }

  /** Whether the state itself is stored up to what was read. */
  boolean kept() {
    return kept;
  }

  /** Stores the rows of the state, within the projection's transaction. */
  void put(Instant now) throws SQLException {
    projection.ledger().put(state, invariants, now);
    audit.store();
  }

  /** Stores the state itself, within the projection's transaction. */
  void keep() throws SQLException {
    projection.ledger().keep(state);
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
}
