package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.Keys;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is decided around the roles: rights, the cap of a start, one health of several. */
final class RolesTest {
  private static final Topics TOPICS = Topics.DEFAULT;

  @Test
  @DisplayName("each role asks for what it could not do without; verdicts of a model are paid")
  void everyRoleAsksForWhatItWrites() {
    assertThat(written(Role.PRODUCER)).containsExactly(TOPICS.workItems());
    assertThat(written(Role.RUNNER)).containsExactly(TOPICS.sessionLedger());
    assertThat(written(Role.CONSOLE)).containsExactly(TOPICS.deadLetters(), TOPICS.metrics());
    assertThat(written(Role.TRIAGE)).containsExactly(TOPICS.sessionRequests());
    var model =
        new ConfiguredClassifier.ByAgent(
            AgentProfile.usual(AgentProgram.parse("claude")), Duration.ofMinutes(2), 100_000);
    assertThat(AppFactory.written(Role.TRIAGE, TOPICS, model))
        .containsExactly(TOPICS.sessionRequests(), TOPICS.sessionLedger());
  }

  private static List<String> written(Role role) {
    return AppFactory.written(role, TOPICS, new ConfiguredClassifier.Rules());
  }

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

  @Test
  void aCapThatIsNotUsedIsReportedOnceUntilItChanges(@TempDir Path data) {
    Configuration first =
        new Configuration(Map.of())
            .with(Keys.DATA, data.toString(), "test")
            .with(Keys.CAP, "0", "flyball.yaml:3");

    assertThat(CapChange.news(first)).isTrue();
    assertThat(CapChange.news(first)).as("at the next start").isFalse();
    assertThat(CapChange.news(first.with(Keys.CAP, "5", "flyball.yaml:3"))).isTrue();
  }

  @Test
  void aReasonThatTwoServicesReportAppearsOnceWithBothNames() {
    Health paused = Health.degraded("pause", "global paused by ann: release");
    var services = new LinkedHashMap<String, Service>();
    services.put("runner", reporting(paused));
    services.put("triage", reporting(Health.starting("triage reads its state")));
    services.put("console", reporting(paused));

    Health health = RunningRoles.together(services);

    assertThat(health.status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(health.ready()).isFalse();
    assertThat(health.reasons())
        .containsExactly(
            "runner, console: global paused by ann: release", "triage reads its state");
  }

  private static Service reporting(Health health) {
    return new Service() {
      @Override
      public void start() {}

      @Override
      public void stop() {}

      @Override
      public Health health() {
        return health;
      }
    };
  }
}
