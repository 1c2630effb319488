package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("What every adapter keeps to")
class AdapterContractTest {
  private static final String SESSION = "6a1f0c3e-0000-4000-8000-000000000001";
  private static final String SECRET_TEXT = "the text of the item";

  static Stream<Agent> adapters() {
    return Stream.concat(
        Stream.of(
            AgentCatalogue.command("/bin/agent"), AgentCatalogue.scout(List.of(Path.of("data")))),
        Dialect.ALL.stream().map(Dialect::adapter));
  }

  @ParameterizedTest
  @MethodSource("adapters")
  void theItemGoesToStandardInputAndNeverToTheCommandLine(Agent adapter) {
    assertThat(adapter.input().of(ItemKey.parse("a/s/1"), request(), () -> Codebase.UNKNOWN))
        .contains(SECRET_TEXT);
    assertThat(String.join(" ", adapter.command(SESSION))).doesNotContain(SECRET_TEXT);
  }

  @ParameterizedTest
  @MethodSource("adapters")
  @DisplayName("no permission bypass is ever asked for (S0-13)")
  void noFlagBypassesPermissions(Agent adapter) {
    assertThat(adapter.command(SESSION))
        .noneMatch(word ->
            word.matches(
                ".*(skip-permissions|skip-trust|bypass|yolo|full-auto|danger|acceptEdits).*"));
  }

  @ParameterizedTest
  @MethodSource("adapters")
  void aSilentAgentIsBrokenAndSaysWhy(Agent adapter) {
    assertThat(adapter.reader().end(new Exit(0, 0), ""))
        .isEqualTo(new AgentAnswer.Broken(Transcript.NO_OUTPUT, "no output", ""));
    assertThat(adapter.reader().end(new Exit(3, 0), "oh\nno\n"))
        .isEqualTo(new AgentAnswer.Broken(Transcript.EXIT, "exit 3; stderr: oh no", ""));
    assertThat(adapter.reader().end(new Exit(143, 15), ""))
        .isInstanceOfSatisfying(
            AgentAnswer.Broken.class,
            broken -> assertThat(broken.reason()).isEqualTo("killed by signal 15 (exit 143)"));
  }

  @ParameterizedTest
  @MethodSource("adapters")
  void garbageMeansNothingAndBreaksNothing(Agent adapter) {
    AgentReader reader = adapter.reader();
    for (String line :
        List.of("{", "{}", "{\"type\":7}", "\u0000\uffff", "[1,2", "{\"type\":\"new-kind\"}")) {
      assertThat(reader.line(line)).isEmpty();
    }
    assertThat(reader.soFar()).isInstanceOf(AgentAnswer.Broken.class);
  }

  static Stream<Agent> programsOfOurs() {
    return adapters().filter(adapter -> !adapter.is(Agent.Trait.PAID));
  }

  @ParameterizedTest
  @MethodSource("adapters")
  @DisplayName("nothing that costs money is free of a reserve, and nothing else needs one (INV-8)")
  void modelsCostMoney(Agent adapter) {
    assertThat(adapter.is(Agent.Trait.PAID))
        .isEqualTo(AgentName.MODEL_AGENTS.contains(adapter.label()));
  }

  @ParameterizedTest
  @MethodSource("programsOfOurs")
  void aResultLineIsTheAnswerWithItsPassages(Agent adapter) {
    for (String field : List.of("text", "result")) {
      AgentReader reader = adapter.reader();
      var _ =
          reader.line(
              "{\"type\":\"result\",\""
                  + field
                  + "\":\"found\",\"commit\":\"abc\",\"model\":\"m\",\"files\":"
                  + "[{\"path\":\"A.java\",\"fromLine\":3,\"toLine\":5,\"excerpt\":\"x\"}]}");

      assertThat(reader.end(new Exit(0, 0), ""))
          .isInstanceOfSatisfying(
              AgentAnswer.Complete.class,
              answer -> {
                assertThat(answer.text()).isEqualTo("found");
                assertThat(answer.commit()).isEqualTo("abc");
                assertThat(answer.files())
                    .singleElement()
                    .satisfies(file -> assertThat(file.fromLine()).isEqualTo(3));
              });
    }
  }

  private static SessionRequest request() {
    var snapshot = Sample.snapshot("title", SECRET_TEXT);
    return Sample.request("r", Instant.EPOCH, snapshot);
  }
}
