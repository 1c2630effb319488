package dev.flyball.ops.console.output;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.time.Duration;

/** Whether a session is live, by the ledger, which is the only authority for that. One thread. */
public final class LeaseWatch implements AutoCloseable {
  private final String session;
  private final LedgerReader reader;
  private LedgerState ledger;

  private LeaseWatch(String session, LedgerReader reader) {
    this.session = session;
    this.reader = reader;
    this.ledger = reader.start();
  }

  /**
   * Reads the ledger to its current end.
   *
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   */
  public static LeaseWatch open(KafkaClients clients, String session) {
    var watch = new LeaseWatch(session, LedgerReader.open(clients));
    while (!watch.reader.caughtUp()) {
      watch.read(Duration.ofMillis(200));
    }
    return watch;
  }

  /** Whether the session's lease is open, as far as the ledger can be read without waiting. */
  public boolean live() {
    read(Duration.ZERO);
    return ledger.lease(session).isPresent();
  }

  @Override
  public void close() {
    reader.close();
  }

  private void read(Duration atMost) {
    for (LedgerRecord record : reader.poll(atMost)) {
      ledger = record.after(ledger);
    }
  }
}
