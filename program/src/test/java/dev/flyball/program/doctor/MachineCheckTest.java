package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.doctor.Doctor.MachineCheck;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.session.SessionLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What doctor says of the memory of a container")
final class MachineCheckTest {
  private static final long GIB = 1L << 30;

  @Test
  void slotsThatDoNotFitAreDegraded() {
    assertThat(MachineCheck.sessions(8 * GIB, SessionLimits.DEFAULT, 4))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.state()).isEqualTo(Finding.State.DEGRADED);
          assertThat(finding.fix()).contains("sessions.slots", "sessions.memory", "17408 MB");
        });
    assertThat(MachineCheck.sessions(17 * GIB, SessionLimits.DEFAULT, 4))
        .extracting(Finding::state)
        .containsExactly(Finding.State.OK);
  }

  @Test
  void withoutALimitThereIsNothingToSay() {
    assertThat(MachineCheck.sessions(Long.MAX_VALUE, SessionLimits.DEFAULT, 4)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ops/helm/flyball/values.yaml, '(?s)\\nrunner:.*?memory: 1Gi.*?memory: (\\d+)Gi'",
    "docker-compose.yml,           '(?s)session-runner:.*?mem_limit: (\\d+)g'",
  })
  @DisplayName("the containers as delivered leave each session at least 1 GiB")
  void theDeliveredContainersFit(String file, String pattern) throws Exception {
    Matcher limit = Pattern.compile(pattern).matcher(Files.readString(root().resolve(file)));
    assertThat(limit.find()).isTrue();
    long container = Long.parseLong(limit.group(1)) * GIB;
    int slots = RunnerConfig.Slots.DEFAULT.count();

    long memory = SessionLimits.memoryIn(container, slots);

    assertThat(memory).isGreaterThanOrEqualTo(GIB);
    assertThat(SessionLimits.DEFAULT.withMemory(memory).containerBytes(slots))
        .isLessThanOrEqualTo(container);
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("docker-compose.yml"))) {
      folder = Objects.requireNonNull(folder.getParent());
    }
    return folder;
  }
}
