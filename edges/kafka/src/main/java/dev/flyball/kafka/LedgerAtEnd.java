package dev.flyball.kafka;

import dev.flyball.contract.ledger.LedgerState;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A ledger, folded once from its newest checkpoint to its end. For callers that need it now and
 * then; what follows a ledger keeps a {@link LedgerReader} open.
 */
public record LedgerAtEnd(LedgerState state) {
  private static final Duration POLL = Duration.ofMillis(500);

  /**
   * Reads the ledger.
   *
   * @param goesOn false ends the reading early, with the state so far
   * @throws BrokerUnreachable if no broker answers
   * @throws LedgerUnusable if the ledger was cut above its newest checkpoint, or replaced
   */
  public static LedgerAtEnd read(KafkaClients clients, BooleanSupplier goesOn) {
    try (var reader = LedgerReader.open(clients)) {
      LedgerState state = reader.start();
      while (!reader.caughtUp() && goesOn.getAsBoolean()) {
        for (LedgerRecord record : reader.poll(POLL)) {
          state = record.after(state);
        }
      }
      return new LedgerAtEnd(state);
    }
  }
}
