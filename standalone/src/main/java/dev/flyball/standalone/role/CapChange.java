package dev.flyball.standalone.role;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;

/**
 * Makes {@code --cap N} true on a ledger that was seeded with another cap before: the key seeds it
 * once only.
 */
public final class CapChange {
  private static final Duration POLL = Duration.ofMillis(200);

  private CapChange() {}

  /**
   * Appends the cap if the ledger is seeded and says another; a fresh ledger is seeded by the
   * runner.
   */
  public static void apply(KafkaClients clients, int cap, String why) {
    LedgerState state = read(clients);
    if (!state.initialized() || state.cap() == cap) {
      return;
    }
    long seen = state.lastOperator(Scope.GLOBAL);
    try (LedgerWriter writer = LedgerWriter.open(clients, LedgerWriter.DEFAULT_DELIVERY_TIMEOUT)) {
      writer.append(
          LedgerWriter.NO_ITEM,
          new LedgerEntry.Cap(Scope.GLOBAL, cap, seen, "operator", why),
          (metadata, error) -> {});
      writer.flush();
    }
    if (read(clients).cap() != cap) {
      throw new StartFailure(
          "the cap is still " + read(clients).cap() + ": another change came first; try again");
    }
  }

  private static LedgerState read(KafkaClients clients) {
    try (LedgerReader reader = LedgerReader.open(clients)) {
      LedgerState state = reader.start();
      while (!reader.caughtUp()) {
        for (LedgerRecord record : reader.poll(POLL)) {
          state =
              record.entry() == null
                  ? state.skip(record.offset())
                  : state.fold(record.entry(), record.offset(), record.appendTime()).state();
        }
      }
      return state;
    }
  }
}
