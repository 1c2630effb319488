package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Result;
import dev.flyball.runner.agent.AgentSignal.ToolRunning;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("What every agent that asks a model is understood to say")
class ModelAgentContractTest {
  private static final Exit OK = new Exit(0, 0);

  static List<Dialect> dialects() {
    return Dialect.ALL;
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void aGoodRunIsIdentifiedRunsAToolAndAnswersWithPassages(Dialect dialect) {
    AgentReader reader = dialect.adapter().reader();
    List<AgentSignal> said = said(reader, dialect.run("good"));

    assertThat(said).first().isInstanceOf(Identified.class);
    assertThat(said.stream().filter(ToolRunning.class::isInstance))
        .containsExactly(new ToolRunning(true), new ToolRunning(false));
    assertThat(said.stream().filter(Result.class::isInstance)).hasSize(1);
    assertThat(reader.end(OK, "a warning on stderr"))
        .isInstanceOfSatisfying(
            AgentAnswer.Complete.class,
            answer -> {
              assertThat(answer.text()).isEqualTo("The search is slow.");
              assertThat(answer.commit()).isEqualTo("abc");
              assertThat(answer.model()).isEqualTo(dialect.model());
              assertThat(answer.files())
                  .singleElement()
                  .satisfies(file -> assertThat(file.path()).isEqualTo("Search.java"));
            });
  }

  @ParameterizedTest
  @MethodSource("dialects")
  @DisplayName("usage is counted once, with everything that the session caused")
  void usageIsCountedOnce(Dialect dialect) {
    List<Usage> told = usage(said(dialect.adapter().reader(), dialect.run("good")));

    assertThat(told).last().isEqualTo(new Usage(136, 39, 90, dialect.costMicros()));
    assertThat(told).isSortedAccordingTo((a, b) -> Long.compare(a.tokens(), b.tokens()));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void anErrorKeepsItsWordsAndWhatWasSaidBefore(Dialect dialect) {
    AgentReader reader = dialect.adapter().reader();
    said(reader, dialect.run("error"));

    assertThat(reader.end(new Exit(1, 0), ""))
        .isInstanceOfSatisfying(
            AgentAnswer.Broken.class,
            broken -> {
              assertThat(broken.reason())
                  .startsWith("agent error")
                  .containsPattern("maximum budget|Internal [Ss]?e?r?v?e?r? ?[Ee]rror");
              assertThat(broken.text()).isEqualTo("so far");
            });
  }

  @ParameterizedTest
  @MethodSource("dialects")
  @DisplayName("a provider that rejects requests is not a failure of the agent (trap T6)")
  void aProvidersLimitIsSaid(Dialect dialect) {
    AgentReader reader = dialect.adapter().reader();
    said(reader, dialect.run("limited"));

    for (AgentAnswer answer : List.of(reader.soFar(), reader.end(new Exit(1, 0), ""))) {
      assertThat(answer)
          .isInstanceOfSatisfying(
              AgentAnswer.Broken.class,
              broken ->
                  assertThat(broken.failure())
                      .isEqualTo(new Failure(Failure.Kind.PROVIDER, Fault.LIMIT)));
    }
    assertThat(reader.reported()).isEqualTo(AgentReader.Reported.ALL);
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void garbageAndUnknownTypesBetweenTheLinesChangeNothing(Dialect dialect) {
    var noisy = new ArrayList<String>();
    for (String line : dialect.run("good")) {
      noisy.addAll(
          List.of("", "{", "[1,2", "null", "\u0000\uffff", "{\"type\":7}", "warning: slow"));
      noisy.addAll(List.of("{\"type\":\"new-kind\",\"usage\":3}", dialect.unknown(), line));
    }

    assertThat(said(dialect.adapter().reader(), noisy))
        .isEqualTo(said(dialect.adapter().reader(), dialect.run("good")));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void theOrderOfKeysDoesNotMatter(Dialect dialect) {
    assertThat(
            said(
                dialect.adapter().reader(),
                dialect.run("good").stream().map(Dialect::turned).toList()))
        .isEqualTo(said(dialect.adapter().reader(), dialect.run("good")));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void aRunCutInItsLastLineHasNoAnswerButWhatWasSaid(Dialect dialect) {
    List<String> lines = new ArrayList<>(dialect.run("error"));
    String last = lines.removeLast();
    AgentReader reader = dialect.adapter().reader();
    said(reader, lines);

    assertThat(reader.line(last.substring(0, last.length() / 2))).isEmpty();
    assertThat(reader.soFar()).isInstanceOf(AgentAnswer.Broken.class);
    assertThat(reader.end(new Exit(137, 9), ""))
        .isInstanceOfSatisfying(
            AgentAnswer.Broken.class,
            broken -> {
              assertThat(broken.reason()).startsWith("killed by signal 9 (exit 137)");
              assertThat(broken.text()).isEqualTo("so far");
            });
  }

  @ParameterizedTest
  @MethodSource("dialects")
  @DisplayName("a line of 12 MB is cut, means nothing, and the run goes on")
  void aHugeLineIsPassedOver(Dialect dialect) throws IOException {
    String huge = "{\"type\":\"result\",\"result\":\"" + "x".repeat(12 << 20) + "\"}\n";
    String output = huge + String.join("\n", dialect.run("good")) + "\n";
    var lines =
        new LineReader(new ByteArrayInputStream(output.getBytes(StandardCharsets.UTF_8)), 10 << 20);
    AgentReader reader = dialect.adapter().reader();
    for (String line = lines.next(); line != null; line = lines.next()) {
      var _ = reader.line(line);
    }

    assertThat(reader.end(OK, "")).isInstanceOf(AgentAnswer.Complete.class);
  }

  @ParameterizedTest
  @MethodSource("dialects")
  void anExitCodeWithoutAResultIsTheReason(Dialect dialect) {
    AgentReader reader = dialect.adapter().reader();
    said(reader, dialect.run("good").subList(0, 1));

    assertThat(reader.end(new Exit(7, 0), "out of ink\n"))
        .isEqualTo(new AgentAnswer.Broken(Transcript.EXIT, "exit 7; stderr: out of ink", ""));
  }

  @ParameterizedTest
  @MethodSource("dialects")
  @DisplayName("an exit code of 0 is no answer")
  void aRunThatOnlyBeganHasNoOutput(Dialect dialect) {
    AgentReader reader = dialect.adapter().reader();
    said(reader, dialect.run("good").subList(0, 3));

    assertThat(reader.end(OK, "")).isInstanceOf(AgentAnswer.Broken.class);
  }

  private static List<AgentSignal> said(AgentReader reader, List<String> lines) {
    return lines.stream().flatMap(line -> reader.line(line).stream()).toList();
  }

  private static List<Usage> usage(List<AgentSignal> signals) {
    return signals.stream().filter(Usage.class::isInstance).map(Usage.class::cast).toList();
  }
}
