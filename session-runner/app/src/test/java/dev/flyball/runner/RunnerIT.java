package dev.flyball.runner;

import static dev.flyball.testkit.KafkaFixture.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment.Level;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.session.SampleLimits;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Requests over a real broker to real agent processes and back to releases. */
class RunnerIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final RunnerFixture RUNNERS = new RunnerFixture(KAFKA);

  @TempDir private Path folder;
  private final List<RunnerApp> running = new ArrayList<>();
  private Telemetry telemetry = new Telemetry();
  private Path repository;

  @BeforeEach
  void makeRepository() throws IOException {
    repository = Files.createDirectory(folder.resolve("repository"));
  }

  @AfterEach
  void stopRunners() {
    running.forEach(RunnerApp::stop);
  }

  @Test
  @DisplayName(
      "a request is claimed, runs, and is released with its result before; one that cannot be read"
          + " is a dead letter (S0-16, S0-19, S0-40, MC-7, S4-9)")
  void aRequestEndsInItsResultAndARelease() throws IOException {
    start(
        "command:"
            + agent("read line; echo \"in $(pwd -P): $line\"; echo token=abcdefgh-secret >&2"));
    String unreadable = "acme/src/" + id();
    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), unreadable, "{oops".getBytes(UTF_8));

    SessionRequest request = RUNNERS.request("acme/src/" + id());

    LedgerEntry.Release release = RUNNERS.release(request);
    await()
        .until(
            () -> KAFKA.records(KAFKA.topics().deadLetters()),
            it -> it.stream().anyMatch(letter -> unreadable.equals(letter.key())));
    assertThat(release.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(release.exit()).isZero();
    assertThat(release.receipt().survivors()).isZero();
    SessionResult result = RUNNERS.result(release);
    assertThat(result.text())
        .as("where it runs, and the first line of its prompt")
        .containsPattern(Pattern.quote("in " + repository.toRealPath() + ": ") + "\\S+ ");
    assertThat(RUNNERS.spawned(request)).isEqualTo(release.session());
    assertThat(KAFKA.values(KAFKA.topics().sessionOutput(), OutputChunk.class))
        .anySatisfy(chunk -> assertThat(chunk.lines()).anyMatch(line -> line.startsWith("in /")));
  }

  @Test
  @DisplayName("a withdrawn request's session is killed with its tree and cancelled (S0-54)")
  void aWithdrawnRequestIsKilled() throws IOException {
    start("command:" + agent("sleep 600 & trap '' TERM; while :; do sleep 1; done"));
    String item = "acme/src/" + id();
    SessionRequest request = RUNNERS.request(item);
    String session = RUNNERS.spawned(request);

    KAFKA.produceRaw(KAFKA.topics().sessionRequests(), item, null);

    LedgerEntry.Release release = RUNNERS.release(request);
    assertThat(release.session()).isEqualTo(session);
    assertThat(release.outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(release.receipt().killSteps()).contains("KILL");
    assertThat(release.receipt().survivors()).isZero();
  }

  @Test
  @DisplayName(
      "each kind of broken agent ends in a release with its own reason, and the next item runs")
  void brokenAgentsEndWithAReason() throws IOException {
    Path chosen = folder.resolve("chosen");
    RunnerApp app = start("command:" + chosen);

    assertReason(chosen, agent("exit 7"), Outcome.FAILED, "exit 7");
    assertReason(chosen, agent("echo fine"), Outcome.COMPLETED, "null");
    assertReason(chosen, null, Outcome.INTERRUPTED, "not found");
    assertThat(app.health().ready()).isTrue();
    assertThat(app.health().reasons()).anyMatch(it -> it.contains(Failure.AGENT_PROGRAM));
  }

  @Test
  @DisplayName(
      "shutdown kills every session, verifies it dead and releases it as interrupted: no attempt"
          + " used (S0-48, S0-23)")
  void shutdownInterrupts() throws IOException {
    RunnerApp app = start("command:" + agent("while :; do sleep 1; done"));
    SessionRequest request = RUNNERS.request("acme/src/" + id());
    var _ = RUNNERS.spawned(request);
    for (Metric age : List.of(Metric.RENEWAL_AGE, Metric.LEDGER_READ_AGE)) {
      await().untilAsserted(() -> assertThat(telemetry.gauge(age).orElseThrow()).isPositive());
    }

    app.stop();

    LedgerEntry.Release release = RUNNERS.release(request);
    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.reason()).isEqualTo("runner shutdown");
    assertThat(release.receipt().survivors()).isZero();
  }

  @Test
  @DisplayName(
      "a provider that rejects requests is paused for every runner until it answers again; no"
          + " attempt is used up (T6)")
  void aProviderThatRefusesIsPaused() throws IOException {
    Instant reset = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(3600);
    start(
        "command:"
            + agent(
                "echo '{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\","
                    + "\"resetsAt\":"
                    + reset.getEpochSecond()
                    + ",\"rateLimitType\":\"five_hour\"}}'; exit 1"));

    LedgerEntry.Release release = RUNNERS.release(RUNNERS.request("acme/src/" + id(), "somebody"));

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(RUNNERS.entries(LedgerEntry.Pause.class))
        .anySatisfy(pause -> {
          assertThat(pause.scope()).isEqualTo("provider:somebody");
          assertThat(pause.until()).isEqualTo(reset);
          assertThat(pause.why()).startsWith("provider limit");
        });
  }

  @Test
  @DisplayName(
      "a running session is ended when its tenant's budget is spent, and uses up no attempt"
          + " (INV-8)")
  void aSpentBudgetEndsWhatRunsOnIt() throws IOException {
    var clocks =
        new LeaseTimes(
            Duration.ofSeconds(45), Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ZERO);
    String usage =
        "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\","
            + "\"text\":\"so far\"}],\"usage\":{\"input_tokens\":1000}}}";
    start(
        config(
            "command:" + agent("echo '" + usage + "'; while :; do sleep 1; done"),
            clocks,
            RunnerConfig.Confinement.DEFAULT));
    KAFKA.produce(
        KAFKA.topics().sessionLedger(),
        "-",
        new LedgerEntry.Budget("tenant:thrifty", new Limits(null, 1_000L), -1, "ann", "test"));

    LedgerEntry.Release release = RUNNERS.release(RUNNERS.request("thrifty/src/" + id()));

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.reason())
        .isEqualTo("budget of tenant:thrifty: 1000 of 1000 tokens spent today");
    assertThat(release.receipt().survivors()).isZero();
    assertThat(RUNNERS.result(release).partial()).isTrue();
    assertThat(RUNNERS.result(release).text()).contains("so far");
  }

  @Test
  @DisplayName("a session below a supervisor, where namespaces are denied (S0-20)")
  void aSessionRunsAtLevelB() throws IOException {
    start(
        config(
            "command:" + agent("setsid sleep 600 & trap '' TERM; read line; echo \"got $line\""),
            LeaseTimes.DEFAULTS,
            new RunnerConfig.Confinement(Level.B, Level.B, Optional.empty(), AgentNetwork.HOST)));
    String item = "acme/src/" + id();

    LedgerEntry.Release release = RUNNERS.release(RUNNERS.request(item));

    assertThat(release.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(release.exit()).isZero();
    assertThat(release.receipt().level()).isEqualTo("B");
    assertThat(release.receipt().survivors()).isZero();
    assertThat(ProcSampler.withCookie(release.session())).isEmpty();
    assertThat(RUNNERS.entries(LedgerEntry.Runner.class)).anyMatch(it -> it.level().equals("B"));
  }

  @Test
  @DisplayName("scout runs as a separate process without a network and names what it found")
  void scoutAnswersWithoutANetwork() throws IOException {
    Files.writeString(
        repository.resolve("Search.java"),
        "class Search {\n  // the search takes 30 s\n  void search() {}\n}\n");
    start(
        config(
            "scout",
            LeaseTimes.DEFAULTS,
            new RunnerConfig.Confinement(
                Level.A, Level.A_PLUS, Optional.empty(), AgentNetwork.NONE)));

    LedgerEntry.Release release = RUNNERS.release(RUNNERS.request("acme/src/" + id()));

    assertThat(release.outcome()).isEqualTo(Outcome.COMPLETED);
    SessionResult result = RUNNERS.result(release);
    assertThat(release.receipt().level()).as("a level without a network").startsWith("A");
    assertThat(result.agent()).isEqualTo("scout");
    assertThat(result.model()).as("no model was asked").isNull();
    assertThat(result.files())
        .anySatisfy(passage -> assertThat(passage.path()).isEqualTo("Search.java"));
  }

  @Test
  @DisplayName("start and stop are idempotent, in any order and from several threads")
  @Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void startAndStopMayComeInAnyOrder() throws Exception {
    var config = RunnerConfig.defaults("stress", repository, folder.resolve("stress"));
    Supplier<RunnerApp> make = () -> new RunnerApp(config, KAFKA.settings(), new Telemetry());
    RunnerApp never = make.get();
    never.stop();
    never.stop();
    assertThat(never.health()).isNotNull();

    RunnerApp twice = make.get();
    twice.start();
    twice.start();
    assertThat(twice.health()).isNotNull();
    twice.stop();
    twice.stop();
    twice.close();

    long seed = new Random().nextLong();
    var random = new Random(seed);
    RunnerApp shared = make.get();
    var calls = new ArrayList<Callable<Void>>();
    for (int i = 0; i < 24; i++) {
      boolean starts = random.nextBoolean();
      calls.add(() -> {
        if (starts) {
          shared.start();
        } else {
          shared.stop();
        }
        return null;
      });
    }
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (Future<Void> call : threads.invokeAll(calls)) {
        assertThatCode(call::get).as("seed %d", seed).doesNotThrowAnyException();
      }
    }
    shared.stop();
  }

  private void assertReason(Path chosen, @Nullable Path target, Outcome outcome, String reason)
      throws IOException {
    Files.deleteIfExists(chosen);
    if (target != null) {
      Files.createSymbolicLink(chosen, target);
    }
    LedgerEntry.Release release = RUNNERS.release(RUNNERS.request("acme/src/" + id()));
    assertThat(release.outcome()).as("%s: %s", target, release.reason()).isEqualTo(outcome);
    assertThat(String.valueOf(release.reason())).contains(reason);
    assertThat(release.receipt().survivors()).isZero();
  }

  private String id() {
    return UUID.randomUUID().toString();
  }

  private RunnerApp start(String agent) {
    return start(config(agent, LeaseTimes.DEFAULTS, RunnerConfig.Confinement.DEFAULT));
  }

  private RunnerConfig config(
      String agent, LeaseTimes clocks, RunnerConfig.Confinement confinement) {
    return RunnerFixture.config(
        "r" + running.size(),
        folder.resolve("data" + running.size()),
        clocks,
        AgentProgram.parse(agent),
        Repositories.only(repository),
        confinement,
        SampleLimits.with("grace", Duration.ofMillis(500)));
  }

  private RunnerApp start(RunnerConfig config) {
    telemetry = new Telemetry();
    var app = new RunnerApp(config, KAFKA.settings(), telemetry);
    running.add(app);
    app.start();
    await().until(() -> app.health().ready());
    return app;
  }

  private Path agent(String script) throws IOException {
    return RunnerFixture.agent(folder, script);
  }
}
