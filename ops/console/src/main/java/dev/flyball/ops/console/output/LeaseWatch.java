package dev.flyball.ops.console.output;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a session is live, by the ledgers of all pools, which are the only authority for that.
 * One thread.
 */
public final class LeaseWatch implements AutoCloseable {
  private final String session;
  private final List<Ledger> ledgers = new ArrayList<>();

  private LeaseWatch(String session) {
    this.session = session;
  }

  /** One pool's ledger, as far as it was read. */
  private static final class Ledger {
    private final LedgerReader reader;
    private LedgerState state;

    Ledger(LedgerReader reader) {
      this.reader = reader;
      this.state = reader.start();
    }

    void read(Duration atMost) {
      for (LedgerRecord record : reader.poll(atMost)) {
        state = record.after(state);
      }
    }
  }

  /**
   * Reads the ledgers to their current ends.
   *
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   */
  public static LeaseWatch open(KafkaClients clients, String session) {
    var watch = new LeaseWatch(session);
    try {
      for (String pool : clients.topics().pools().names()) {
        watch.ledgers.add(new Ledger(LedgerReader.open(clients.in(pool))));
      }
      for (Ledger each : watch.ledgers) {
        while (!each.reader.caughtUp()) {
          each.read(Duration.ofMillis(200));
        }
      }
      return watch;
    } catch (RuntimeException e) {
      watch.close();
      throw e;
    }
  }

  /** Whether the session's lease is open, as far as can be read without waiting. */
  public boolean live() {
    ledgers.forEach(each -> each.read(Duration.ZERO));
    return ledgers.stream().anyMatch(each -> each.state.lease(session).isPresent());
  }

  @Override
  public void close() {
    ledgers.forEach(each -> each.reader.close());
  }
}
