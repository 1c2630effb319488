package dev.flyball.runner.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.session.End.Clock;
import dev.flyball.runner.session.SessionMachine.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A session's clocks and limits (S0-12)")
class SessionMachineTest {
  private static final SessionLimits LIMITS = SessionLimits.DEFAULT;
  private static final AgentAnswer ANSWER =
      new AgentAnswer.Complete("done", List.of(), null, null, null);

  @Test
  @DisplayName("an agent that never says who it is is killed after 10 s (S0-34, S0-45)")
  void anUnidentifiedAgentIsKilled() {
    var machine = machine(false);

    assertThat(machine.tick(9_999)).isEmpty();
    assertThat(machine.tick(10_000)).containsExactly(timedOut(Clock.IDENTIFY));
  }

  @Test
  @DisplayName(
      "silence of 120 s is reported as hung and not killed; output recovers it (S1-2, S1-3, S1-4,"
          + " S0-41, S1-5, S1-10, S1-13)")
  void silenceIsReportedBeforeItKills() {
    var machine = machine(true);

    assertThat(machine.tick(120_000)).contains(new Step.Hung(120_000, Vitals.Lines.NONE));
    assertThat(machine.tick(121_000)).noneMatch(Step.Hung.class::isInstance);
    assertThat(machine.output(5, true, 200_000)).containsExactly(new Step.Recovered());
    assertThat(machine.tick(320_000)).contains(new Step.Hung(120_000, Vitals.Lines.NONE));
  }

  @Test
  @DisplayName("any line is life, on standard error too; the reason of a kill says what was seen")
  void linesOnStandardErrorAreLife() {
    SessionLimits limits = limits(Duration.ofHours(1), LIMITS.memoryBytes(), 0, 0);
    var machine = new SessionMachine(limits, true, 0);
    machine.line(false, true, 0);
    for (long at = 100_000; at <= 900_000; at += 100_000) {
      assertThat(machine.tick(at))
          .noneMatch(Step.Hung.class::isInstance)
          .noneMatch(Step.Kill.class::isInstance);
      machine.line(true, true, at);
    }

    assertThat(kills(machine.tick(900_000 + 480_000)))
        .containsExactly(End.timedOut(Clock.STALL, LIMITS.stall(), new Vitals.Lines(1, 9)));
  }

  @Test
  @DisplayName(
      "480 s of silence kill; 405 s, which healthy agents were seen to take, do not (S1-2, S0-41,"
          + " S1-6)")
  void aStalledAgentIsKilled() {
    var machine = machine(true);
    machine.tick(120_000);

    assertThat(machine.tick(405_000)).noneMatch(Step.Kill.class::isInstance);
    assertThat(machine.tick(480_000)).containsExactly(timedOut(Clock.STALL));
  }

  @Test
  @DisplayName("inside a tool silence may last 900 s, where the wall clock allows it (T10)")
  void aRunningToolRaisesTheStallLimit() {
    SessionLimits limits = limits(Duration.ofHours(1), LIMITS.memoryBytes(), 0, 0);
    var machine = new SessionMachine(limits, true, 0);
    machine.said(new AgentSignal.ToolRunning(true), 0);
    machine.tick(120_000);

    assertThat(machine.tick(899_999)).noneMatch(Step.Kill.class::isInstance);
    assertThat(kills(machine.tick(900_000)))
        .containsExactly(End.timedOut(Clock.STALL, limits.stallInTool(), Vitals.Lines.NONE));
  }

  @Test
  @DisplayName("retries against a limit are a sign of life of the client, not progress (T6)")
  void waitingForTheProviderIsNoProgress() {
    var machine = machine(true);
    for (int at = 0; at < 480_000; at += 1_000) {
      machine.output(50, false, at);
      machine.said(new AgentSignal.Waiting(), at);
      machine.tick(at);
    }

    assertThat(kills(machine.tick(480_000))).hasSize(1);
  }

  @Test
  @DisplayName("the wall clock ends everything after 10 min (S0-17, S0-53, S1-11)")
  void theWallClockEndsABusyAgent() {
    var machine = machine(true);
    for (int at = 0; at < 600_000; at += 1_000) {
      machine.output(5, true, at);
      assertThat(kills(machine.tick(at))).isEmpty();
    }

    assertThat(machine.tick(600_000)).containsExactly(timedOut(Clock.WALL));
  }

  @Test
  @DisplayName("an agent that has answered gets 60 s to exit (T1 c)")
  void anAnsweredAgentMustExit() {
    var machine = machine(true);
    machine.said(new AgentSignal.Result(ANSWER), 1_000);

    assertThat(machine.tick(60_999)).isEmpty();
    assertThat(machine.tick(61_000)).containsExactly(timedOut(Clock.POST_RESULT));
  }

  @Test
  @DisplayName("one that works on after its result has the clocks of one that works")
  void workAfterAResultGoesOn() {
    var machine = machine(true);
    machine.said(new AgentSignal.Result(ANSWER), 1_000);
    machine.said(new AgentSignal.Working(), 60_000);

    assertThat(kills(machine.tick(100_000))).isEmpty();
    machine.said(new AgentSignal.Result(ANSWER), 110_000);
    assertThat(machine.tick(170_000)).containsExactly(timedOut(Clock.POST_RESULT));
  }

  @Test
  void aLargeTreeIsWarnedOfOnceAndAHugeOneKilled() {
    var machine = machine(true);

    assertThat(machine.counted(64, 1, 10)).isEmpty();
    assertThat(machine.counted(65, 1, 20))
        .singleElement()
        .isInstanceOfSatisfying(Step.Grown.class, grown -> assertThat(grown.limit()).isEqualTo(64));
    assertThat(machine.counted(66, 1, 30)).isEmpty();
    assertThat(kills(machine.counted(257, 1, 40)))
        .containsExactly(over(Kind.TRANSIENT, "process-limit", "257 processes, limit 256"));
    assertThat(machine.vitals().processesPeak()).isEqualTo(257);
  }

  @Test
  @DisplayName(
      "the largest tree that is allowed lives, and one that is being ended is not reported")
  void treesAtTheirLimits() {
    var machine = machine(true);
    assertThat(kills(machine.counted(256, 1, 10))).isEmpty();
    var ending = machine(true);
    ending.end(End.of(End.Cause.UNWANTED, "withdrawn"));

    assertThat(ending.counted(100, 1, 10)).isEmpty();
  }

  @Test
  @DisplayName(
      "output that shows no progress, or of an agent that was never silent, recovers nothing")
  void onlyProgressRecovers() {
    var machine = machine(true);
    assertThat(machine.output(5, true, 1)).isEmpty();
    machine.tick(120_001);

    assertThat(machine.output(5, false, 130_000)).isEmpty();
    assertThat(machine.nextMs()).as("progress is next").isEqualTo(125_001);
  }

  @Test
  @DisplayName("the driver is called when the next clock runs out")
  void theNextClock() {
    assertThat(machine(false).nextMs()).isEqualTo(10_000);
    var silent = new SessionMachine(limits(Duration.ofHours(1), 0, 0, 0), true, 0);
    assertThat(silent.nextMs()).isEqualTo(5_000);
    silent.tick(119_000);
    assertThat(silent.nextMs()).as("hung").isEqualTo(120_000);
    silent.tick(120_000);
    silent.tick(478_000);
    assertThat(silent.nextMs()).as("stalled").isEqualTo(480_000);
  }

  // S0-6
  @Test
  void tooMuchOutputEndsTheSession() {
    var machine = machine(true);

    assertThat(machine.output(64L << 20, true, 1)).isEmpty();
    assertThat(kills(machine.output(1, true, 2)))
        .containsExactly(over(Kind.PERMANENT, "output-limit", "output limit of 64 MB"));
  }

  @Test
  @DisplayName("memory above its limit ends a session by the second sample in a row, not by a peak")
  void tooMuchMemoryEndsTheSession() {
    var machine = machine(true);
    long limit = LIMITS.memoryBytes();

    assertThat(machine.counted(2, limit + 1, 1)).isEmpty();
    assertThat(machine.counted(2, limit, 2)).isEmpty();
    assertThat(machine.counted(2, limit + 1, 3)).isEmpty();
    assertThat(kills(machine.counted(2, limit + 1, 4)))
        .containsExactly(over(Kind.PERMANENT, "memory-limit", "memory limit of 4096 MB"));
  }

  @Test
  @DisplayName("a session above its own budget is ended (INV-8)")
  void spendingTooMuchEndsTheSession() {
    var machine = new SessionMachine(budget(500_000, 0), true, 0);

    assertThat(used(machine, new AgentSignal.Usage(1, 1, 1, 500_000))).isEmpty();
    assertThat(kills(used(machine, new AgentSignal.Usage(1, 1, 1, 500_001))))
        .containsExactly(
            over(Kind.PERMANENT, "session-budget", "session budget of 0.5 USD is spent"));
  }

  @Test
  @DisplayName("so is one above its budget of tokens, whatever it says of its cost (INV-8)")
  void usingTooManyTokensEndsTheSession() {
    var machine = new SessionMachine(budget(500_000, 1_000), true, 0);

    assertThat(used(machine, new AgentSignal.Usage(100, 100, 800, 0))).isEmpty();
    assertThat(kills(used(machine, new AgentSignal.Usage(101, 100, 800, 0))))
        .containsExactly(
            over(Kind.PERMANENT, "session-budget", "session budget of 1000 tokens is spent"));
  }

  @Test
  @DisplayName("an answer that turns out to have been too dear is paid for, and kept")
  void anAnswerAboveTheBudgetIsKept() {
    var machine = new SessionMachine(budget(500_000, 1_000), true, 0);
    machine.said(new AgentSignal.Result(ANSWER), 1);

    assertThat(used(machine, new AgentSignal.Usage(9_000, 1, 1, 900_000))).isEmpty();
  }

  @Test
  void aLimitOfZeroIsNone() {
    SessionLimits limits = limits(LIMITS.wallClock(), 0, 0, 0);
    var machine = new SessionMachine(limits, true, 0);

    assertThat(used(machine, new AgentSignal.Usage(1L << 40, 0, 0, 1L << 40))).isEmpty();
    machine.counted(2, 1L << 50, 1);
    assertThat(machine.counted(2, 1L << 50, 2)).isEmpty();
  }

  @Test
  void aFenceSharpensAGentleKillAndTheFirstCauseStays() {
    var machine = machine(true);
    var unwanted = End.of(End.Cause.UNWANTED, "withdrawn");
    machine.end(unwanted);

    assertThat(machine.end(End.FENCED)).containsExactly(new Step.Kill(End.FENCED));
    assertThat(machine.cause()).isEqualTo(unwanted);
  }

  @Test
  void anAgentThatKeepsIntroducingItselfIsNotHeardForEver() {
    var machine = machine(false);
    int said = 0;
    for (int i = 0; i < 1000; i++) {
      said += machine.said(new AgentSignal.Identified("id" + i, null), i).size();
    }

    assertThat(said).isEqualTo(SessionMachine.MAX_INTRODUCTIONS);
  }

  @Test
  @DisplayName("an agent that is gone before its first line was read is identified all the same")
  void anIntroductionThatIsReadAfterTheExitCounts() {
    var machine = machine(false);
    machine.exited();

    assertThat(machine.said(new AgentSignal.Identified("id", "m"), 2))
        .containsExactly(new Step.Identified(new AgentSignal.Identified("id", "m")));
  }

  @Test
  void aNameOrAnAnswerIdentifiesAnAgent() {
    var named = machine(false);
    assertThat(named.said(new AgentSignal.Identified("id", "model"), 0))
        .containsExactly(new Step.Identified(new AgentSignal.Identified("id", "model")));
    assertThat(named.phase()).isEqualTo(SessionMachine.Phase.RUNNING);
    assertThat(kills(named.tick(LIMITS.identify().toMillis()))).isEmpty();

    var answered = machine(false);
    answered.said(new AgentSignal.Result(ANSWER), 0);
    assertThat(answered.phase()).isEqualTo(SessionMachine.Phase.ANSWERED);
  }

  @Test
  void progressIsSaidEveryFiveSecondsAtMost() {
    var machine = machine(true);
    var said = new ArrayList<Step>();
    for (int at = 0; at <= 20_000; at += 100) {
      machine.output(1, true, at);
      said.addAll(machine.tick(at));
    }

    assertThat(said).hasSize(4).allMatch(Step.Progress.class::isInstance);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName(
      "whatever happens in whatever order, a session is ended once, and its next clock is never in"
          + " the past")
  void anySequenceEndsOnce(long seed) {
    var random = new Random(seed);
    var machine = new SessionMachine(budget(1_000, 0), random.nextBoolean(), 0);
    long now = 0;
    int ends = 0;
    while (now < 700_000) {
      List<Step> steps = anything(random, machine, now);
      ends += (int) steps.stream().filter(step -> gentleEnd(step)).count();
      if (machine.phase() != SessionMachine.Phase.ENDING) {
        steps = machine.tick(now);
        ends += (int) steps.stream().filter(step -> gentleEnd(step)).count();
        assertThat(machine.nextMs()).as("seed %d", seed).isGreaterThan(now);
      }
      now += random.nextInt(20_000);
    }

    assertThat(ends).as("seed %d", seed).isEqualTo(1);
    assertThat(machine.phase()).isEqualTo(SessionMachine.Phase.ENDING);
  }

  static List<Long> seeds() {
    var seeds = new ArrayList<Long>();
    long fresh = new Random().nextLong();
    for (long i = 0; i < 20; i++) {
      seeds.add(fresh + i);
    }
    return seeds;
  }

  private static boolean gentleEnd(Step step) {
    return step instanceof Step.Kill kill && !kill.cause().atOnce();
  }

  private static List<Step> anything(Random random, SessionMachine machine, long now) {
    return switch (random.nextInt(40)) {
      case 0 -> machine.said(new AgentSignal.Result(ANSWER), now);
      case 1 ->
          random.nextBoolean() ? machine.exited() : machine.said(new AgentSignal.Working(), now);
      case 2 -> machine.end(End.of(End.Cause.INTERRUPTED, "runner shutdown"));
      case 3, 4, 5 -> machine.said(new AgentSignal.ToolRunning(random.nextBoolean()), now);
      case 6, 7, 8 -> machine.said(new AgentSignal.Identified(null, null), now);
      case 9, 10 -> machine.counted(random.nextInt(100), 1, now);
      case 11, 12 -> machine.said(new AgentSignal.Usage(1, 1, 1, random.nextInt(1_000)), now);
      case 13, 14, 15, 16 -> machine.output(random.nextInt(1_000), random.nextBoolean(), now);
      default -> machine.tick(now);
    };
  }

  private static List<Step> used(SessionMachine machine, AgentSignal.Usage usage) {
    return machine.said(usage, 1);
  }

  private static SessionMachine machine(boolean identified) {
    return new SessionMachine(LIMITS, identified, 0);
  }

  private static Step timedOut(Clock clock) {
    var limit =
        switch (clock) {
          case IDENTIFY -> LIMITS.identify();
          case STALL -> LIMITS.stall();
          case WALL -> LIMITS.wallClock();
          case POST_RESULT -> LIMITS.postResult();
        };
    return new Step.Kill(End.timedOut(clock, limit, Vitals.Lines.NONE));
  }

  private static List<End> kills(List<Step> steps) {
    return steps.stream()
        .filter(Step.Kill.class::isInstance)
        .map(step -> ((Step.Kill) step).cause())
        .toList();
  }

  private static End over(Kind kind, String code, String what) {
    return End.of(End.Cause.OVER_LIMIT, new Failure(kind, code), what);
  }

  private static SessionLimits budget(long micros, long tokens) {
    return limits(LIMITS.wallClock(), LIMITS.memoryBytes(), micros, tokens);
  }

  private static SessionLimits limits(Duration wallClock, long memory, long micros, long tokens) {
    return LIMITS.withMemory(memory).with(new AgentProfile.Bounds(micros, tokens, wallClock));
  }
}
