package dev.flyball.runner.session;

import static dev.flyball.runner.session.SampleLimits.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.runner.agent.AgentProfile;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionLimitsTest {
  private static final SessionLimits LIMITS = SessionLimits.DEFAULT;

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
    assertThat(LIMITS.with(new AgentProfile.Bounds(null, null, null))).isEqualTo(LIMITS);
    SessionLimits bound = LIMITS.with(new AgentProfile.Bounds(7L, 8L, Duration.ofSeconds(9)));
    assertThat(bound.budgetMicros()).isEqualTo(7);
    assertThat(bound.budgetTokens()).isEqualTo(8);
    assertThat(bound.wallClock()).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void sessionsWithoutAMemoryLimitNeedNoContainerOfASize() {
    assertThat(LIMITS.withMemory(0).containerBytes(4)).isZero();
  }

  @Test
  void theLeastOfEachIsAllowed() {
    assertThat(with("stall", LIMITS.hung()).stall()).isEqualTo(LIMITS.hung());
    assertThat(with("stallInTool", LIMITS.stall()).stallInTool()).isEqualTo(LIMITS.stall());
    assertThat(with("processesKill", LIMITS.processesWarn()).processesKill())
        .isEqualTo(LIMITS.processesWarn());
    assertThat(with("outputBytes", 1024).outputBytes()).isEqualTo(1024);
  }

  @ParameterizedTest
  @CsvSource({
    "identify, sessions.identify",
    "hung, sessions.hung",
    "stall, sessions.stall",
    "stallInTool, sessions.stall-in-tool",
    "wallClock, sessions.wall-clock",
    "grace, sessions.grace",
    "postResult, sessions.post-result",
  })
  void aClockOfNothingIsRejectedByItsName(String setting, String key) {
    for (long time : new long[] {0, -1}) {
      assertRejected(setting, Duration.ofSeconds(time), key);
    }
  }

  @Test
  void aContradictingOrUnboundedSettingIsRejectedByName() {
    assertRejected("hung", LIMITS.stall().plusSeconds(1), "sessions.stall");
    assertRejected("stall", LIMITS.stallInTool().plusSeconds(1), "sessions.stall-in-tool");
    assertRejected("processesWarn", LIMITS.processesKill() + 1, "sessions.processes.warn");
    assertRejected("outputBytes", 1023, "sessions.output");
  }

  private static void assertRejected(String setting, Object value, String key) {
    assertThatThrownBy(() -> with(setting, value)).hasMessageContaining(": " + key + " ");
  }
}
