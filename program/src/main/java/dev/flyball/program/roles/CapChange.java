package dev.flyball.program.roles;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
   *
   * @param why recorded with the change; null if this command only reports
   * @return one line if a cap is configured and the ledger keeps another
   */
  public static Optional<String> settle(
      KafkaClients clients, Configuration configuration, @Nullable String why) {
    if (!configuration.isSet(Keys.CAP)) {
      return Optional.empty();
    }
    String applied = named(configuration) ? why : null;
    var entries = new OperatorEntries(clients);
    Optional<String> unused;
    try {
      unused = unused(entries.state(), configuration);
    } catch (RuntimeException e) {
      if (applied != null) {
        throw e;
      }
      // Only a notice: the runner itself reports what is wrong with its ledger.
      LOG.info("the cap was not compared with the ledger's: {}", e.toString());
      return Optional.empty();
    }
    if (unused.isEmpty() || applied == null) {
      return unused.filter(_ -> news(configuration));
    }
    int cap = configuration.get(Keys.CAP);
    LedgerState after =
        entries.change(ScopeChange.cap(Scope.GLOBAL, cap), new By("operator", applied)).state();
    if (after.cap() != cap) {
      throw new StartFailure(
          "the cap is still " + after.cap() + ": another change came first; try again");
    }
    return Optional.empty();
  }

  static Optional<String> unused(LedgerState state, Configuration configuration) {
    int cap = configuration.get(Keys.CAP);
    if (!configuration.isSet(Keys.CAP) || !state.initialized() || state.cap() == cap) {
      return Optional.empty();
    }
    String unused = "cap " + cap + " is not used: the ledger keeps " + state.cap();
    String place = configuration.origin(Keys.CAP);
    return Optional.of(place + ": " + unused + "; change it with ./flyball cap " + cap);
  }

  /** Whether no start has reported this cap: it may be meant for the first one only. */
  static boolean news(Configuration configuration) {
    Path reported = configuration.get(Keys.DATA).resolve("cap.reported");
    String cap = configuration.get(Keys.CAP).toString();
    try {
      if (Files.exists(reported) && Files.readString(reported).equals(cap)) {
        return false;
      }
      Files.writeString(reported, cap);
    } catch (IOException e) {
      LOG.info("{} cannot be kept: {}", reported, e.toString());
    }
    return true;
  }

  /** Whether the command line names the cap; elsewhere the key only seeds a fresh ledger. */
  static boolean named(Configuration configuration) {
    return configuration.origin(Keys.CAP).equals("--cap");
  }
}
