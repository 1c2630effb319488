package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.BrokerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A broker, the roles as separate processes over it, and what /proc shows of their sessions, all of
 * which ends with it.
 */
final class Cluster implements AutoCloseable {
  final Workplace place;

  /** The address of the broker. */
  final String kafka;

  final SessionSampler sampler;

  /** The runners, in the order of their start. */
  final List<Program> runners = new ArrayList<>();

  private final Runnable closeBroker;
  private final List<Program> others = new ArrayList<>();
  private Function<String, List<String>> prefixOf = data -> List.of();
  private Map<String, String> environment = Map.of();
  private int items;

  private Cluster(Workplace place, String kafka, Runnable closeBroker) {
    this.place = place;
    this.kafka = kafka;
    this.closeBroker = closeBroker;
    this.sampler = SessionSampler.of(place);
  }

  /** In a workplace with this agent, over a broker of which the test needs the address only. */
  static Cluster in(Path folder, String agent) {
    return over(BrokerProcess.start(folder.resolve("kafka")), Workplace.in(folder, agent));
  }

  /** Over this broker, which ends with it. */
  static Cluster over(BrokerProcess broker, Workplace place) {
    return new Cluster(place, broker.bootstrapServers(), broker::close);
  }

  /** Over brokers that the test closes. */
  static Cluster over(String kafka, Workplace place) {
    return new Cluster(place, kafka, () -> {});
  }

  /** Writes flyball.yaml, which every role reads. */
  Cluster configure(int cap, Workplace.Clocks clocks) {
    place.configure(Workplace.kafka(kafka), cap, clocks);
    return this;
  }

  /** Starts each role behind these words, by the name of its data folder. */
  Cluster behind(Function<String, List<String>> words) {
    prefixOf = words;
    return this;
  }

  /**
   * Starts triage and the runners, then the producer, so that everyone waits for the first item.
   */
  Cluster start(int runnerCount) {
    others.add(role("triage", "triage"));
    for (int i = 0; i < runnerCount; i++) {
      var _ = runner("runner-" + i);
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

  /** Starts a runner on this data folder. */
  Program runner(String data) {
    runners.add(role("runner", data));
    return runners.getLast();
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

  /** How many items there are: those with a lower id. */
  int items() {
    return items;
  }

  /** Adds items that the rules find worth a session. */
  void add(int count) {
    for (int i = 0; i < count; i++) {
      place.add(items++, 1);
    }
  }

  /** Adds items until this many more are there than had a session. */
  void addWaiting(int count) {
    add(Math.max(0, sampler.sightings().size() + count - items));
  }

  /** Gives an operator's command. */
  void order(String... words) {
    Stream<String> servers = Stream.of("--bootstrap-servers", kafka);
    Answer answer =
        CommandLineFixture.in(
            place.home, Stream.concat(Stream.of(words), servers).toArray(String[]::new));
    assertThat(answer.code()).as(answer.err()).isZero();
  }

  /** Waits until at least so many sessions are alive. */
  void awaitLive(int sessions) {
    await(sessions + " live sessions")
        .atMost(Duration.ofSeconds(60))
        .until(() -> sampler.now().size() >= sessions);
  }

  /** What the log adds up to now. */
  LedgerAudit audit() {
    return LedgerAudit.of(kafka);
  }

  /** Waits until every item is settled, and says what the log adds up to. */
  LedgerAudit awaitSettled(Duration limit) {
    return await("every item settled")
        .atMost(limit)
        .pollInterval(Duration.ofSeconds(1))
        .until(this::audit, audit -> audit.settled(items));
  }

  /**
   * At the end of a story in which brokers failed: no runner halted, and each item was judged and
   * analyzed once.
   */
  void assertAllAnalyzed(LedgerAudit audit, int cap) {
    System.out.printf("%d items, %s%n", items, audit.summary(sampler));
    for (Program runner : runners) {
      assertThat(runner.alive()).isTrue();
      // A runner whose fold differs from a checkpoint stops.
      assertThat(runner.err()).doesNotContain("claims nothing");
    }
    audit.assertAnalyzed(sampler, cap, items);
  }

  /** What every program has written to its standard error, for a test that fails. */
  String said() {
    return Stream.concat(runners.stream(), others.stream())
        .map(Program::err)
        .collect(Collectors.joining("\n--\n"));
  }

  @Override
  public void close() {
    try {
      Stream.concat(runners.stream(), others.stream()).forEach(Program::close);
      await("INV-5: no session outlives its runner").until(() -> place.live().isEmpty());
    } finally {
      sampler.close();
      closeBroker.run();
    }
  }
}
