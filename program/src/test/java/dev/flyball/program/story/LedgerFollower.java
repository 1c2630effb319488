package dev.flyball.program.story;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import java.time.Duration;

/**
 * The ledger as it is now, by a reader that goes on where it was: to read from the start for each
 * answer takes more of the machine than what is measured.
 */
final class LedgerFollower implements AutoCloseable {
  private final LedgerReader reader;
  private LedgerState state;

  LedgerFollower(KafkaClients clients) {
    reader = LedgerReader.open(clients);
    state = reader.start();
  }

  LedgerState now() {
    do {
      for (LedgerRecord each : reader.poll(Duration.ofMillis(200))) {
        LedgerState before = state;
        state =
            each.maybeEntry()
                .map(entry -> before.fold(entry, each.offset(), each.appendTime()).state())
                .orElse(before.skip(each.offset()));
      }
    } while (!reader.caughtUp());
    return state;
  }

  @Override
  public void close() {
    reader.close();
  }
}
