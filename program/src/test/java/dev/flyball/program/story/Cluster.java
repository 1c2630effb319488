package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.launch.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The roles as processes of their own, over a broker that the test owns. */
final class Cluster implements AutoCloseable {
  private final Workplace place;
  private final String bootstrapServers;
  private final Function<String, List<String>> prefixOf;
  private final List<Program> others = new ArrayList<>();
  private Map<String, String> environment = Map.of();

  /** The runners, in the order of their start. */
  final List<Program> runners = new ArrayList<>();

  Cluster(Workplace place, String bootstrapServers) {
    this(place, bootstrapServers, data -> List.of());
  }

  /**
   * With each role somewhere else.
   *
   * @param prefixOf the words before a role's command, by the name of its data folder
   */
  Cluster(Workplace place, String bootstrapServers, Function<String, List<String>> prefixOf) {
    this.place = place;
    this.bootstrapServers = bootstrapServers;
    this.prefixOf = prefixOf;
  }

  /**
   * Starts triage and the runners, then the producer, so that everyone waits for the first item.
   */
  Cluster start(int runnerCount) {
    others.add(role("triage", "triage"));
    for (int i = 0; i < runnerCount; i++) {
      runners.add(role("runner", "runner-" + i));
    }
    others.forEach(Program::awaitReady);
    runners.forEach(Program::awaitReady);
    others.add(role("producer", "producer").awaitReady());
    return this;
  }

  /** Starts every program from now on with this option of its JVM. */
  Cluster with(String option) {
    return with(Map.of("JAVA_TOOL_OPTIONS", option));
  }

  /** Starts every program from now on with these variables. */
  Cluster with(Map<String, String> variables) {
    environment = variables;
    return this;
  }

  /** Stops triage and the producer and starts them again. */
  void restartOthers() {
    others.forEach(program -> {
      program.signal("TERM");
      program.awaitExit(Duration.ofSeconds(60));
    });
    others.clear();
    others.add(role("triage", "triage").awaitReady());
    others.add(role("producer", "producer").awaitReady());
  }

  /** Starts a runner again that has ended, on its own data folder. */
  Program restart(int runner) {
    runners.set(runner, role("runner", "runner-" + runner));
    return runners.get(runner);
  }

  private Program role(String role, String data) {
    return Program.start(place.home, environment, prefixOf.apply(data), role, "--data", data);
  }

  /** Gives an operator's command. */
  void order(String... words) {
    Stream<String> kafka = Stream.of("--bootstrap-servers", bootstrapServers);
    Answer answer =
        CommandLineFixture.in(
            place.home, Stream.concat(Stream.of(words), kafka).toArray(String[]::new));
    assertThat(answer.code()).as(answer.err()).isZero();
  }

  /** Waits until at least so many sessions are alive. */
  static void awaitLive(SessionSampler sampler, int sessions) {
    await(sessions + " live sessions")
        .atMost(Duration.ofSeconds(60))
        .until(() -> sampler.now().size() >= sessions);
  }

  /** Waits until every item is settled, and says what the log adds up to. */
  LedgerAudit awaitSettled(int items, Duration limit) {
    return await("every item settled")
        .atMost(limit)
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> LedgerAudit.of(bootstrapServers), audit -> audit.settled(items));
  }

  /** What every program has written to its standard error, for a test that fails. */
  String said() {
    return Stream.concat(runners.stream(), others.stream())
        .map(Program::err)
        .collect(Collectors.joining("\n--\n"));
  }

  @Override
  public void close() {
    Stream.concat(runners.stream(), others.stream()).forEach(Program::close);
    await("no session outlives its runner").until(() -> place.live().isEmpty());
  }
}
