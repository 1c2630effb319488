package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.runner.agent.AgentAdapter;
import dev.flyball.runner.agent.AgentReader;
import dev.flyball.runner.agent.CommandAdapter;
import dev.flyball.runner.process.Containment;
import dev.flyball.runner.process.Containment.Level;
import dev.flyball.runner.process.ContainmentProbe;
import dev.flyball.runner.process.ContainmentSettings;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
@DisplayName("Every fault that agents were seen with ends in bounded time, with its reason")
class FaultAgentIT {
  private static final Duration SHORT = Duration.ofMillis(1500);
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
      new SessionLimits(
          Duration.ofSeconds(30),
          Duration.ofMillis(300),
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofSeconds(50),
          Duration.ofMillis(300),
          Duration.ofSeconds(30),
          10,
          20,
          150 << 20,
          16 << 20,
          0,
          20_000_000);

  @TempDir Path folder;
  private Containment containment;

  @BeforeEach
  void contain() throws IOException {
    containment = ContainmentProbe.strongest(ContainmentSettings.in(folder), Level.A).containment();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
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
          runaway     | timedOut    | wall clock of 8 s
          no-output   | failed      | no output
          exit        | failed      | exit 7
          killed      | failed      | killed by signal 9
          cut         | failed      | no output: no result line
          garbage     | completed   | null
          dead-resume | failed      | No conversation found
          turns       | failed      | agent error error_max_turns
          limit       | interrupted | provider limit
          limit-storm | timedOut    | silent for 2 s
          nonsense    | failed      | no such fault: nonsense
          """)
  void aFaultEnds(String fault, String outcome, String reason) throws Exception {
    var said = begun(fault, LIMITS);

    LedgerEntry.Release release = said.released.get(40, TimeUnit.SECONDS);

    assertThat(release.outcome().label()).as(release.reason()).isEqualTo(outcome);
    assertThat(String.valueOf(release.reason())).contains(reason);
    assertThat(release.receipt().survivors()).isZero();
    assertThat(ProcSampler.sessions("HOME=" + folder)).isEmpty();
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"hog, memory limit of 150 MB", "spender, session budget of 20000000 tokens is spent"})
  @DisplayName("what an agent had said before a limit ended it is kept, as a partial answer")
  void theWorkUpToALimitIsKept(String fault, String reason) throws Exception {
    var said = begun(fault, PATIENT);

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
    var said = begun("nap", PATIENT);

    LedgerEntry.Release release = said.released.get(40, TimeUnit.SECONDS);

    assertThat(release.outcome()).as(release.reason()).isEqualTo(Outcome.COMPLETED);
    assertThat(said.events)
        .extracting(LifecycleEvent::type)
        .containsSubsequence(
            EventType.SESSION_HUNG, EventType.SESSION_RECOVERED, EventType.SESSION_RESULT)
        .doesNotContain(EventType.SESSION_KILLED);
  }

  private OneSession begun(String fault, SessionLimits limits) {
    var said = new OneSession(new FakeAgent("", ""), inAMinute(), inAMinute());
    var seams = said.seams();
    new SessionThreads(
            new ExecutionSeams(
                new Fault(fault),
                containment,
                said,
                said,
                said,
                limits,
                seams.redactor(),
                Map.of("PATH", "/usr/bin:/bin", "FAULT", fault, "HOME", folder.toString()),
                item -> Workplaces.Workplace.fixed(folder, () -> Codebase.UNKNOWN),
                seams.clock(),
                Duration.ofMillis(100),
                seams.trees()))
        .start(said.handle);

    return said;
  }

  private static long inAMinute() {
    return System.nanoTime() + Duration.ofMinutes(1).toNanos();
  }

  /** The program of the examples; it has to say who it is where its fault is not to. */
  private record Fault(String name) implements AgentAdapter {
    private static final CommandAdapter PROGRAM =
        new CommandAdapter(Path.of("../examples/fault-agent").toAbsolutePath().toString());

    @Override
    public String label() {
      return "command";
    }

    @Override
    public List<String> command(String session) {
      return PROGRAM.command(session);
    }

    @Override
    public String prompt(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
      return PROGRAM.prompt(item, request, codebase);
    }

    @Override
    public List<String> env() {
      return List.of();
    }

    @Override
    public boolean identifiedAtSpawn() {
      return !name.equals("no-init");
    }

    @Override
    public boolean endsTurnOnInterrupt() {
      return true;
    }

    @Override
    public boolean paid() {
      return false;
    }

    @Override
    public AgentReader reader() {
      return PROGRAM.reader();
    }
  }
}
