package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.contract.ledger.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PoolEntriesTest {
  @TempDir Path folder;

  @Test
  void aRunnerSeedsTheLedgerOfItsPoolWithThePoolsCapAndBudget() throws IOException {
    AppConfigurations apps =
        apps(
            """
            cap: 3
            runner.pool: big
            pools: [{name: big, tenants: [acme], cap: 8, budget.daily.usd: 50}]
            kafka.bootstrap.servers: localhost:1
            """);

    assertThat(apps.runner("r").ledger().cap()).isEqualTo(8);
    assertThat(apps.runner("r").ledger().budgets())
        .containsExactly(new ScopedLimits("global", new Limits(50_000_000L, null)));
    assertThat(apps.kafka("runner").topics().sessionLedger())
        .isEqualTo("flyball.session-ledger-big");
    assertThat(apps.kafka("triage").topics().sessionLedger()).isEqualTo("flyball.session-ledger");
  }

  @Test
  void theCommandLinesCapIsThatOfThePoolOfTheRunner() {
    Configuration big =
        ConfigurationLoader.load(
            null,
            Map.of(),
            List.of("runner.pool=big", "pools=[{name: big, tenants: [acme], cap: 8}]"));

    assertThat(new AppConfigurations(big.with(Keys.CAP, "2", "--cap")).runner("r").ledger().cap())
        .isEqualTo(2);
    assertThat(new AppConfigurations(big.with(Keys.CAP, "2", "--set")).runner("r").ledger().cap())
        .isEqualTo(8);
  }

  @Test
  void aRunnerOfTheDefaultPoolKeepsTheCapOutsideTheList() throws IOException {
    AppConfigurations apps = apps("cap: 3\npools: [{name: big, tenants: [acme], cap: 8}]\n");

    assertThat(apps.runner("r").ledger().cap()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{name: big}",
        "{name: default, cap: 1}",
        "{name: BIG, cap: 1}",
        "{name: big, cap: 1, tenant: acme}",
        "{name: small, cap: 1}",
        "{name: big, tenants: [zeta], cap: 1}",
      })
  void whatIsNoPoolIsRefusedAtItsLine(String entry) throws IOException {
    AppConfigurations apps =
        apps("pools:\n  - {name: small, tenants: [zeta], cap: 1}\n  - " + entry + "\n");

    assertThat(catchThrowableOfType(ConfigurationError.class, apps::check).lines())
        .singleElement()
        .asString()
        .contains("flyball.yaml:3");
  }

  @Test
  void aPoolWithoutABudgetIsRefusedWhereTheInstallationHasOne() throws IOException {
    AppConfigurations apps = apps("budget.daily.usd: 20\npools:\n  - {name: big, cap: 8}\n");

    assertThat(catchThrowableOfType(ConfigurationError.class, apps::check).lines())
        .singleElement()
        .asString()
        .contains("budget.daily.usd");
  }

  @Test
  void aRunnerOfAPoolThatIsNotListedIsRefusedAtItsLine() throws IOException {
    AppConfigurations apps = apps("runner.pool: big\n");

    assertThat(catchThrowableOfType(ConfigurationError.class, apps::check).lines())
        .singleElement()
        .asString()
        .startsWith(folder.resolve("flyball.yaml") + ":1");
  }

  private AppConfigurations apps(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("flyball.yaml"), text);
    return new AppConfigurations(ConfigurationLoader.load(file, Map.of(), List.of()));
  }
}
