package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.ProcSampler;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@DisplayName(
    "Every fault that agents were seen with ends in bounded time, with its reason"
        + " (S0-4, S0-12, S1-5, T1)")
class FaultAgentIT {
  private static final Duration SHORT = Duration.ofMillis(1500);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final SessionLimits LIMITS =
      new SessionLimits(
          SHORT,
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(3),
          Duration.ofSeconds(8),
          Duration.ofMillis(300),
          SHORT,
          10,
          20,
          150 << 20,
          16 << 20,
          0,
          20_000_000);

  /** A busy machine must not let a clock run out before the limit that is asked about. */
  private static final SessionLimits PATIENT =
      Sample.with(
          LIMITS,
          Map.of(
              "identify", LONG,
              "hung", Duration.ofMillis(300),
              "stall", LONG,
              "stallInTool", LONG,
              "wallClock", Duration.ofSeconds(50),
              "postResult", LONG));

  @TempDir static Path sessions;
  @TempDir Path folder;

  static Containment contained(Path folder) throws IOException {
    return ContainmentProbe.strongest(ContainmentSettings.in(folder), Level.A, Level.A_PLUS)
        .containment();
  }

  /** They mostly wait for a limit, so a few do at a time. */
  private static final int AT_A_TIME = 3;

  private static final String FAULTS =
      """
      runaway     | timedOut    | wall clock of 8 s
      none        | completed   | null
      text        | completed   | null
      no-init     | timedOut    | not identified within
      stall       | timedOut    | silent for 2 s
      no-exit     | completed   | still running after its result
      quiet-work  | timedOut    | silent for 2 s
      deaf        | timedOut    | silent for 2 s
      open-pipe   | completed   | null
      brood       | failed      | processes, limit 20
      daemon      | completed   | null
      flood       | failed      | output limit of 16 MB
      huge-line   | completed   | null
      no-output   | failed      | no output
      exit        | failed      | exit 7
      killed      | failed      | killed by signal 9
      cut         | failed      | no output: no result line
      garbage     | completed   | null
      dead-resume | failed      | does not know the session
      turns       | failed      | agent error error_max_turns
      limit       | interrupted | provider limit
      limit-storm | interrupted | provider limit
      nonsense    | failed      | no such fault: nonsense
      """;

  private static final ExecutorService SESSIONS =
      Executors.newFixedThreadPool(AT_A_TIME, Thread.ofPlatform().daemon().factory());

  @AfterAll
  static void end() {
    SESSIONS.shutdownNow();
  }

  /** Each with its session, all of which begin now. */
  static Stream<Arguments> faults() {
    return FAULTS
        .lines()
        .map(line -> line.split("[|]"))
        .map(row -> {
          String fault = row[0].strip();
          String outcome = row[1].strip();
          SessionLimits limits = outcome.equals("failed") ? PATIENT : LIMITS;
          return Arguments.of(
              fault, outcome, row[2].strip(), SESSIONS.submit(() -> ended(fault, limits)));
        })
        .toList()
        .stream();
  }

  @ParameterizedTest(name = "{0}: {1}, {2}")
  @MethodSource("faults")
  void aFaultEnds(String fault, String outcome, String reason, Future<Ended> session)
      throws Exception {
    Ended ended = session.get();

    LedgerEntry.Release release = ended.release;
    assertThat(release.outcome().label()).as(release.reason()).isEqualTo(outcome);
    assertThat(String.valueOf(release.reason())).contains(reason);
    assertThat(release.receipt().survivors()).isZero();
    assertThat(ended.survivors).isEmpty();
  }

  /** What is left of a session right after its release. */
  record Ended(LedgerEntry.Release release, Collection<String> survivors) {}

  private static Ended ended(String fault, SessionLimits limits) throws Exception {
    Path home = Files.createDirectories(sessions.resolve(fault + "-home"));
    var said = begun(fault, limits, home, contained(home));
    LedgerEntry.Release release = said.released.get(40, TimeUnit.SECONDS);
    return new Ended(release, ProcSampler.sessions("HOME=" + home));
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"hog, memory limit of 150 MB", "spender, session budget of 20000000 tokens is spent"})
  @DisplayName("what an agent had said before a limit ended it is kept, as a partial answer (T7)")
  void theWorkUpToALimitIsKept(String fault, String reason) throws Exception {
    var said = begun(fault, PATIENT, folder, contained(folder));

    LedgerEntry.Release release = said.released.get(40, TimeUnit.SECONDS);

    assertThat(release.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(release.reason()).isEqualTo(reason);
    assertThat(said.events)
        .filteredOn(each -> each.type() == EventType.SESSION_RESULT)
        .singleElement()
        .satisfies(each -> {
          var result = each.data().record(Field.RESULT, SessionResult.class).orElseThrow();
          assertThat(result.partial()).isTrue();
          assertThat(result.text()).contains("so far");
        });
  }

  @Tag("long")
  @Test
  @DisplayName("a long silence is reported and kills nothing; when it ends that is reported too")
  void aNapIsReportedAndOutlived() throws Exception {
    var said = begun("nap", PATIENT, folder, contained(folder));

    LedgerEntry.Release release = said.released.get(40, TimeUnit.SECONDS);

    assertThat(release.outcome()).as(release.reason()).isEqualTo(Outcome.COMPLETED);
    assertThat(said.events)
        .extracting(LifecycleEvent::type)
        .containsSubsequence(
            EventType.SESSION_HUNG, EventType.SESSION_RECOVERED, EventType.SESSION_RESULT)
        .doesNotContain(EventType.SESSION_KILLED);
  }

  private static OneSession begun(
      String fault, SessionLimits limits, Path folder, Containment containment) {
    var said = new OneSession(new FakeAgent("", ""), UUID.randomUUID().toString(), new LiveTrees());
    said.contained(fault(fault), containment, folder, Map.of("FAULT", fault), said, limits)
        .start(said.handle);

    return said;
  }

  /** The program of the examples; it has to say who it is where its fault is not to. */
  private static Agent fault(String name) {
    Agent program =
        new Command(Path.of("../../examples/fault-agent").toAbsolutePath().toString())
            .session(Setup.DEFAULT);
    return new Agent(
        program.label(),
        program.program(),
        Agent.Variables.NONE,
        program.input(),
        program.readers(),
        name.equals("no-init")
            ? Set.of(Agent.Trait.ENDS_TURN_ON_INTERRUPT)
            : Set.of(Agent.Trait.ENDS_TURN_ON_INTERRUPT, Agent.Trait.IDENTIFIED_AT_SPAWN),
        null,
        null);
  }
}
