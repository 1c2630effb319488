package dev.flyball.program.roles;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;

/**
 * Applies {@code --cap N} to a ledger that was seeded with another cap before: the key seeds the
 * ledger only once.
 */
public final class CapChange {
  private CapChange() {}

  /**
   * Appends the cap if {@code --cap} names one and the ledger is seeded with another. The runner
   * seeds a fresh ledger.
   */
  public static void apply(KafkaClients clients, Configuration configuration, String why) {
    if (!named(configuration)) {
      return;
    }
    int cap = configuration.get(Keys.CAP);
    var desk = new OperatorEntries(clients);
    LedgerState state = desk.state();
    if (!state.initialized() || state.cap() == cap) {
      return;
    }
    OperatorEntries.Answer answer =
        desk.change(
            Scope.GLOBAL,
            before ->
                new LedgerEntry.Cap(
                    Scope.GLOBAL, cap, before.lastOperator(Scope.GLOBAL), "operator", why));
    if (answer.state().cap() != cap) {
      throw new StartFailure(
          "the cap is still " + answer.state().cap() + ": another change came first; try again");
    }
  }

  /** Whether the command line names the cap; elsewhere the key only seeds a fresh ledger. */
  static boolean named(Configuration configuration) {
    return configuration.origin(Keys.CAP).equals("--cap");
  }
}
