package dev.flyball.program.roles;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what a start configures as cap and the cap of the ledger from differing silently: the key
 * seeds the ledger only once. {@code up} and {@code run} apply {@code --cap N}; everything else is
 * reported.
 */
public final class CapChange {
  private static final Logger LOG = LoggerFactory.getLogger(CapChange.class);

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

  /** One line if a cap is configured and the ledger keeps another; else empty. */
  public static Optional<String> unused(KafkaClients clients, Configuration configuration) {
    if (!configuration.isSet(Keys.CAP)) {
      return Optional.empty();
    }
    try {
      return unused(new OperatorEntries(clients).state(), configuration);
    } catch (RuntimeException e) {
      // Only a notice: the runner itself reports what is wrong with its ledger.
      LOG.info("the cap was not compared with the ledger's: {}", e.toString());
      return Optional.empty();
    }
  }

  static Optional<String> unused(LedgerState state, Configuration configuration) {
    int cap = configuration.get(Keys.CAP);
    return !configuration.isSet(Keys.CAP) || !state.initialized() || state.cap() == cap
        ? Optional.empty()
        : Optional.of(
            configuration.origin(Keys.CAP)
                + ": cap "
                + cap
                + " is not used: the ledger keeps "
                + state.cap()
                + "; change it with ./flyball cap "
                + cap);
  }

  /** Whether the command line names the cap; elsewhere the key only seeds a fresh ledger. */
  static boolean named(Configuration configuration) {
    return configuration.origin(Keys.CAP).equals("--cap");
  }
}
