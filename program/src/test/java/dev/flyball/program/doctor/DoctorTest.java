package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.session.SessionLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What doctor says of the machine, of its places, and of open transactions. */
final class DoctorTest {
  private static final long GIB = 1L << 30;

  @Test
  void slotsThatDoNotFitAreDegraded() {
    assertThat(Doctor.sessions(8 * GIB, SessionLimits.DEFAULT, 4))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.state()).isEqualTo(Finding.State.DEGRADED);
          assertThat(finding.fix()).contains("sessions.slots", "sessions.memory", "17408 MB");
        });
    assertThat(Doctor.sessions(17 * GIB, SessionLimits.DEFAULT, 4))
        .extracting(Finding::state)
        .containsExactly(Finding.State.OK);
  }

  @Test
  void withoutALimitThereIsNothingToSay() {
    assertThat(Doctor.sessions(Long.MAX_VALUE, SessionLimits.DEFAULT, 4)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "ops/helm/flyball/values.yaml, '(?s)\\nrunner:.*?memory: 1Gi.*?memory: (\\d+)Gi'",
    "docker-compose.yml,           '(?s)session-runner:.*?mem_limit: (\\d+)g'",
  })
  @DisplayName("the containers as delivered leave each session at least 1 GiB")
  void theDeliveredContainersFit(String file, String pattern) throws Exception {
    Matcher limit = Pattern.compile(pattern).matcher(Files.readString(Path.of("..", file)));
    assertThat(limit.find()).isTrue();
    long container = Long.parseLong(limit.group(1)) * GIB;
    int slots = RunnerConfig.Slots.DEFAULT.count();

    long memory = SessionLimits.memoryIn(container, slots);

    assertThat(memory).isGreaterThanOrEqualTo(GIB);
    assertThat(SessionLimits.DEFAULT.withMemory(memory).containerBytes(slots))
        .isLessThanOrEqualTo(container);
  }

  @Test
  @DisplayName("in a container the memory that its limit leaves counts, as for the gate")
  void theMemoryIsThatOfTheContainer(@TempDir Path proc) throws Exception {
    Files.writeString(proc.resolve("meminfo"), "MemAvailable: 16384000 kB\n");
    Files.writeString(proc.resolve("memory.max"), Long.toString(GIB));
    Files.writeString(proc.resolve("memory.current"), Long.toString(GIB - (300 << 20)));
    Files.writeString(proc.resolve("memory.stat"), "inactive_file 0\n");

    Finding found = Doctor.memory(new MachineReadings(proc).now(), 512L << 20);

    assertThat(found.found()).isEqualTo("300 MB available");
    assertThat(found.state()).isEqualTo(Finding.State.DEGRADED);
  }

  private static final Path DATA = Path.of("data");

  @Test
  void aDiskOnWhichTheBrokerDoesNotStartIsUnhealthy() {
    assertThat(Doctor.space(DATA, BrokerConfig.MIN_FREE_BYTES - 1).state())
        .isEqualTo(Finding.State.UNHEALTHY);
    assertThat(Doctor.space(DATA, BrokerConfig.MIN_FREE_BYTES).state())
        .isEqualTo(Finding.State.DEGRADED);
    assertThat(Doctor.space(DATA, 1L << 30).state()).isEqualTo(Finding.State.OK);
  }

  private static final TopicPartition ITEMS = new TopicPartition("flyball.work-items", 2);
  private static final TopicPartition POLLS = new TopicPartition("flyball.poll-state", 0);

  @Test
  @DisplayName("a transaction that ended and one after it are two: no command waits for either")
  void oneThatMovedIsNotOpen() {
    assertThat(KafkaCheck.stillOpen(Map.of(ITEMS, 4L, POLLS, 7L), Map.of(ITEMS, 9L))).isEmpty();
  }

  @Test
  @DisplayName("one at the same offset as before is the same")
  void oneThatStandsStillIsOpen() {
    assertThat(KafkaCheck.stillOpen(Map.of(ITEMS, 4L), Map.of(ITEMS, 4L, POLLS, 7L)))
        .isEqualTo(Map.of(ITEMS, 4L));
  }

  @Test
  @DisplayName("several are named by the first one and counted")
  void severalAreCounted() {
    assertThat(KafkaCheck.transactions(Map.of(ITEMS, 4L, POLLS, 7L)).found())
        .startsWith(
            "open for more than 5 s in flyball.poll-state-0 since offset 7 and in 1 more: ");
  }
}
