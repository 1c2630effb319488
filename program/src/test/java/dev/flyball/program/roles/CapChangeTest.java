package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.Keys;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CapChangeTest {
  @Test
  void onlyTheCommandLineChangesTheCapOfASeededLedger(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("flyball.yaml"), "cap: 3\n");
    Configuration ofFile = ConfigurationLoader.load(file, Map.of("FLYBALL_CAP", "4"), List.of());

    assertThat(CapChange.named(ofFile)).isFalse();
    assertThat(CapChange.named(ofFile.with(Keys.CAP, "3", "--cap"))).isTrue();
  }

  @Test
  void aConfiguredCapThatTheLedgerDoesNotUseIsReportedWithItsPlace() {
    Configuration nothing = ConfigurationLoader.load(null, Map.of(), List.of());
    LedgerState seeded =
        LedgerState.empty()
            .fold(new LedgerEntry.Init(3, 45_000, List.of()), 0, Instant.EPOCH)
            .state();

    assertThat(CapChange.unused(seeded, nothing.with(Keys.CAP, "7", "flyball.yaml:2")))
        .hasValueSatisfying(
            line -> assertThat(line).startsWith("flyball.yaml:2: ").contains("7", "3"));
    assertThat(CapChange.unused(seeded, nothing.with(Keys.CAP, "3", "--cap"))).isEmpty();
    assertThat(CapChange.unused(seeded, nothing)).isEmpty();
    assertThat(CapChange.unused(LedgerState.empty(), nothing.with(Keys.CAP, "7", "--cap")))
        .isEmpty();
  }
}
