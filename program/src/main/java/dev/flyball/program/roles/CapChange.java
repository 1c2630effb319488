package dev.flyball.program.roles;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.ops.telemetry.StartFailure;

/**
 * Applies {@code --cap N} to a ledger that was seeded with another cap before: the key seeds the
 * ledger only once.
 */
public final class CapChange {
  private CapChange() {}

  /**
   * Appends the cap if the ledger is seeded with another one; a fresh ledger is seeded by the
   * runner.
   */
  public static void apply(KafkaClients clients, int cap, String why) {
    var desk = new OperatorDesk(clients);
    LedgerState state = desk.state();
    if (!state.initialized() || state.cap() == cap) {
      return;
    }
    OperatorDesk.Answer answer =
        desk.change(
            Scope.GLOBAL, seen -> new LedgerEntry.Cap(Scope.GLOBAL, cap, seen, "operator", why));
    if (answer.state().cap() != cap) {
      throw new StartFailure(
          "the cap is still " + answer.state().cap() + ": another change came first; try again");
    }
  }
}
