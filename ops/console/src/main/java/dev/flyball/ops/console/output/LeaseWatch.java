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
  private LedgerState state;

  private LeaseWatch(LedgerReader reader, String session) {
    this.session = session;
    this.reader = reader;
    this.state = reader.start();
  }

  /**
   * Reads the ledger to its current end.
   *
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   */
  public static LeaseWatch open(KafkaClients clients, String session) {
    LedgerReader reader = LedgerReader.open(clients);
    try {
      var watch = new LeaseWatch(reader, session);
      while (!reader.caughtUp()) {
        watch.read(Duration.ofMillis(200));
      }
      return watch;
    } catch (RuntimeException e) {
      reader.close();
      throw e;
    }
  }

  /** Whether the session's lease is open, as far as can be read without waiting. */
  public boolean live() {
    read(Duration.ZERO);
    return state.lease(session).isPresent();
  }

  private void read(Duration atMost) {
    for (LedgerRecord record : reader.poll(atMost)) {
      state = record.after(state);
    }
  }

  @Override
  public void close() {
    reader.close();
  }
}
