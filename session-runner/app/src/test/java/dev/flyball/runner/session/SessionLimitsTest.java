package dev.flyball.runner.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.runner.agent.AgentProfile;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Thirteen settings in the order of the record; each case changes one of them. */
class SessionLimitsTest {
  private static final long[] VALID = {1, 2, 3, 4, 5, 6, 7, 1, 1, 0, 1024, 0, 0};

  @ParameterizedTest(name = "{0} MB for {1} slots: {2} MB each")
  @CsvSource({
    "8192, 4, 1792",
    "5120, 4, 1024",
    "1536, 4, 256",
    "512, 2, 256",
    "65536, 4, 4096",
  })
  @DisplayName("all slots of a container fit into its memory, beside the runner")
  void theDefaultMemoryFollowsTheContainer(long container, int slots, long each) {
    long bytes = SessionLimits.memoryIn(container << 20, slots);

    assertThat(bytes >> 20).isEqualTo(each);
    boolean fits = SessionLimits.DEFAULT.withMemory(bytes).containerBytes(slots) <= container << 20;
    assertThat(fits).as("except below the least memory of a session").isEqualTo(each != 256);
  }

  @Test
  void withoutALimitOfTheContainerTheDefaultIsFourGigabytes() {
    assertThat(SessionLimits.memoryIn(Long.MAX_VALUE, 4)).isEqualTo(4L << 30);
  }

  @Test
  @DisplayName("a profile bounds what it names, and leaves the rest")
  void aProfileBoundsWhatItNames() {
    SessionLimits limits = limits(VALID);

    assertThat(limits.with(new AgentProfile.Bounds(null, null, null))).isEqualTo(limits);
    SessionLimits bound = limits.with(new AgentProfile.Bounds(7L, 8L, Duration.ofSeconds(9)));
    assertThat(bound.budgetMicros()).isEqualTo(7);
    assertThat(bound.budgetTokens()).isEqualTo(8);
    assertThat(bound.wallClock()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void sessionsWithoutAMemoryLimitNeedNoContainerOfASize() {
    assertThat(limits(VALID).containerBytes(4)).isZero();
  }

  @Test
  void theLeastOfEachIsAllowed() {
    assertThat(limits(VALID).processesKill()).isEqualTo(1);
    assertThat(with(2, 2).stall()).isEqualTo(with(2, 2).hung());
    assertThat(with(3, 3).stallInTool()).isEqualTo(with(3, 3).stall());
  }

  @ParameterizedTest
  @CsvSource({
    "0, sessions.identify",
    "1, sessions.hung",
    "2, sessions.stall",
    "3, sessions.stall-in-tool",
    "4, sessions.wall-clock",
    "5, sessions.grace",
    "6, sessions.post-result",
  })
  void aClockOfNothingIsRejectedByItsName(int setting, String key) {
    for (long time : new long[] {0, -1}) {
      assertThatThrownBy(() -> with(setting, time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(key + " ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4, sessions.stall",
    "2, 5, sessions.stall-in-tool",
    "7, 2, sessions.processes.warn",
    "10, 1023, sessions.output",
  })
  void aContradictingOrUnboundedSettingIsRejectedByName(int setting, long value, String key) {
    assertThatThrownBy(() -> with(setting, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + " ");
  }

  private static SessionLimits with(int setting, long value) {
    long[] values = VALID.clone();
    values[setting] = value;
    return limits(values);
  }

  private static SessionLimits limits(long[] v) {
    return new SessionLimits(
        Duration.ofSeconds(v[0]),
        Duration.ofSeconds(v[1]),
        Duration.ofSeconds(v[2]),
        Duration.ofSeconds(v[3]),
        Duration.ofSeconds(v[4]),
        Duration.ofSeconds(v[5]),
        Duration.ofSeconds(v[6]),
        (int) v[7],
        (int) v[8],
        v[9],
        v[10],
        v[11],
        v[12]);
  }
}
