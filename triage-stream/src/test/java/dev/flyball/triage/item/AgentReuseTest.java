package dev.flyball.triage.item;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.state.ItemState.SessionNote;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.MachineSettings.ReuseLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Whether the next session resumes the agent's earlier one")
final class AgentReuseTest {
  private static final String X = "agent-1";
  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final ReuseLimits NO_POLICY = new ReuseLimits(true, 3, 0, Duration.ZERO, 0);
  private static final SessionNote DEAD =
      new SessionNote(
          "s",
          "request",
          Outcome.FAILED,
          "because",
          X,
          "r1",
          true,
          0,
          0,
          NOW,
          TokenCount.NONE,
          "agent-error",
          null);
  private static final SessionNote GOOD =
      Sample.with(
          DEAD,
          Map.of(
              "outcome",
              Outcome.COMPLETED,
              "tokens",
              30,
              "used",
              new TokenCount(10, 10, 10),
              "failure",
              NullNode.instance));

  static Stream<Arguments> notDead() {
    return Stream.of(
        Arguments.of("it did not fail", with(DEAD, "outcome", Outcome.INTERRUPTED)),
        Arguments.of("it completed", with(DEAD, "outcome", Outcome.COMPLETED)),
        Arguments.of("it was fresh", with(DEAD, "reused", false)),
        Arguments.of("it used input tokens", with(DEAD, "used", new TokenCount(1, 0, 0))),
        Arguments.of("it used cached tokens", with(DEAD, "used", new TokenCount(0, 1, 0))),
        Arguments.of("it used output tokens", with(DEAD, "used", new TokenCount(0, 0, 1))),
        Arguments.of(
            "it reported no kinds and tokens were booked",
            with(with(DEAD, "tokens", 1), "used", NullNode.instance)),
        Arguments.of("its program crashed", with(DEAD, "failure", "exit-code")),
        Arguments.of("a signal ended it", with(DEAD, "failure", "signal")),
        Arguments.of("its runner failed", with(DEAD, "failure", "runner-fault")),
        Arguments.of("a limit ended it", with(DEAD, "failure", "memory-limit")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("notDead")
  @DisplayName("S3-2, S3-4, S3-11: one cause that a session is not dead breaks the streak")
  void oneCauseBreaksTheStreak(String cause, SessionNote alive) {
    assertThat(decide(NO_POLICY, DEAD, DEAD, alive).rotation()).as("newest first").isNull();
    assertThat(decide(NO_POLICY, alive, DEAD, DEAD, DEAD).rotation()).as(cause).isNull();
    assertThat(decide(NO_POLICY, DEAD, alive, DEAD, DEAD).rotation()).as(cause).isNull();
    assertThat(decide(NO_POLICY, DEAD, DEAD, DEAD, alive).rotation())
        .as("what came before the streak does not matter")
        .isNotNull();
  }

  @Test
  @DisplayName("S3-2: sessions of another agent session belong to no streak and break none")
  void onlyTheKnownSessionsRunsCount() {
    SessionNote other = with(DEAD, "agentSession", "agent-0");

    assertThat(decide(NO_POLICY, DEAD, other, other).rotation()).isNull();
    assertThat(decide(NO_POLICY, DEAD, other, DEAD, other, DEAD).rotation()).isNotNull();
  }

  @Test
  @DisplayName("S3-3: the agent's own figures count before those that were booked")
  void rawTokensComeFirst() {
    SessionNote booked = with(DEAD, "tokens", 5);
    SessionNote unbooked = with(DEAD, "used", NullNode.instance);

    assertThat(decide(NO_POLICY, booked, booked, booked).rotation()).isNotNull();
    assertThat(decide(NO_POLICY, unbooked, unbooked, unbooked).rotation()).isNotNull();
  }

  @ParameterizedTest(name = "{0} dead sessions, limit {1}: rotates {2}")
  @CsvSource({
    "1, 1, true",
    "1, 2, false",
    "2, 2, true",
    "2, 3, false",
    "4, 5, false",
    "5, 5, true"
  })
  @DisplayName("S3-1: the limit can be set")
  void theLimitCanBeSet(int dead, int limit, boolean rotates) {
    var limits = new ReuseLimits(true, limit, 0, Duration.ZERO, 0);
    SessionNote[] runs = new SessionNote[dead];
    Arrays.fill(runs, DEAD);

    assertThat(decide(limits, runs).rotation() != null).isEqualTo(rotates);
  }

  @Test
  @DisplayName("S3-7: the state keeps enough sessions for the limit")
  void enoughSessionsAreKept() {
    for (int dead = 1; dead <= 20; dead++) {
      var limits = new ReuseLimits(true, dead, 0, Duration.ZERO, 0);
      assertThat(limits.notes(ItemState.NOTES)).isGreaterThan(dead).isGreaterThanOrEqualTo(4);
    }
  }

  static Stream<Arguments> unusable() {
    return Stream.of(
        Arguments.of("no conversation found", failing(Failure.UNKNOWN_SESSION)),
        Arguments.of("the silent form", failing(Failure.SILENT_SESSION)),
        Arguments.of("a conversation too long", failing(Failure.PROMPT_TOO_LONG)),
        Arguments.of("a conversation with a gap", with(DEAD, "failure", Failure.INVALID_REQUEST)),
        Arguments.of("ended in its turn", with(GOOD, "cut", true)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unusable")
  @DisplayName("T5: one session that shows that no further one can work rotates immediately")
  void oneIsEnough(String form, SessionNote run) {
    assertThat(decide(NO_POLICY, run).rotation()).as(form).contains(X);
    assertThat(decide(NO_POLICY, GOOD, run).rotation())
        .as("a newer one shows that it works")
        .isNull();
  }

  @ParameterizedTest(name = "{0} runs, {1} h, {2} input tokens, limits {3} {4} {5}: {6}")
  @CsvSource({
    "199, 0, 0,       200, 72, 2000000, resumed",
    "200, 0, 0,       200, 72, 2000000, rotated",
    "200, 0, 0,       0,   72, 2000000, resumed",
    "1,  71, 0,       200, 72, 2000000, resumed",
    "1,  72, 0,       200, 72, 2000000, rotated",
    "1,  72, 0,       200, 0,  2000000, resumed",
    "1,  0,  1999999, 200, 72, 2000000, resumed",
    "1,  0,  2000000, 200, 72, 2000000, rotated",
    "1,  0,  2000000, 200, 72, 0,       resumed",
  })
  @DisplayName("S3-5, S3-17: the limits on age and size, each by itself and each switched off by 0")
  void agedSessionsRotate(
      int runs, int hours, long input, int mostRuns, int mostHours, long mostInput, String end) {
    var limits = new ReuseLimits(true, 3, mostRuns, Duration.ofHours(mostHours), mostInput);
    var known =
        new AgentSession(
            X,
            "r1",
            "claude",
            "default",
            runs,
            NOW.minus(Duration.ofHours(hours)),
            new TokenCount(input, 9_000_000, 9_000_000));

    AgentReuse reuse = AgentReuse.of(state(known, List.of(GOOD)), "default", 0, NOW, limits);

    assertThat(reuse.rotation() == null ? "resumed" : "rotated").isEqualTo(end);
    assertThat(reuse.resume() == null ? "rotated" : "resumed").isEqualTo(end);
  }

  @Test
  @DisplayName("S3-5: dead sessions come before the limits on age and size, and need none of them")
  void theBreakerComesFirst() {
    var worn = new ReuseLimits(true, 3, 1, Duration.ofNanos(1), 1);

    assertThat(decide(worn, DEAD, DEAD, DEAD).rotation()).startsWith("3 consecutive failed");
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({"GDD, s1", "DDG, s0", "GGD, s2", "GG, s0", "DGD, s0", "GGGD, s3"})
  @DisplayName(
      "S3-8: the previous run is the newest dead one, also of a broken streak, else the newest")
  void thePreviousRun(String newestFirst, String previous) {
    SessionNote[] runs =
        newestFirst.chars().mapToObj(each -> each == 'D' ? DEAD : GOOD).toArray(SessionNote[]::new);

    assertThat(decide(NO_POLICY, runs).previousRun()).isEqualTo(previous);
  }

  @Test
  void nothingKnownIsAFreshSessionForNoReason() {
    AgentReuse reuse = AgentReuse.of(state(null, List.of(GOOD)), "default", 0, NOW, NO_POLICY);

    assertThat(reuse).isEqualTo(new AgentReuse(null, null, null));
  }

  @Test
  void anotherProfileStartsFreshAndRotatesNothing() {
    AgentReuse reuse = AgentReuse.of(state(known(), List.of(GOOD)), "deep", 0, NOW, NO_POLICY);

    assertThat(reuse).isEqualTo(new AgentReuse(null, null, null));
  }

  @Test
  void withoutReuseEverySessionIsFresh() {
    var off = new ReuseLimits(false, 3, 0, Duration.ZERO, 0);

    assertThat(decide(off, GOOD).resume()).isNull();
    assertThat(decide(off, GOOD).rotation()).isNull();
  }

  private static SessionNote failing(String code) {
    return with(with(GOOD, "outcome", Outcome.FAILED), "failure", code);
  }

  private static SessionNote with(SessionNote run, String name, Object value) {
    return Sample.with(run, Map.of(name, value));
  }

  private static AgentReuse decide(ReuseLimits limits, SessionNote... newestFirst) {
    return AgentReuse.of(state(known(), List.of(newestFirst)), "default", 0, NOW, limits);
  }

  private static AgentSession known() {
    return new AgentSession(
        X, "r1", "claude", "default", 5, NOW.minusSeconds(60), new TokenCount(100, 0, 0));
  }

  private static ItemState state(@Nullable AgentSession known, List<SessionNote> newestFirst) {
    var notes = new ArrayList<SessionNote>();
    for (SessionNote run : newestFirst) {
      notes.add(with(run, "session", "s" + notes.size()));
    }
    return Sample.with(
        Sample.state(Sample.snapshot("title", "text"), new ItemPhase.Analyzed("s0"), 0, NOW),
        Map.of("sessions", notes, "agentSession", known == null ? NullNode.instance : known));
  }
}
