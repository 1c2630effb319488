package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentSignal.Doing;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Result;
import dev.flyball.runner.agent.AgentSignal.ToolRunning;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("What agents are understood to say")
class ReadersTest {
  private static final Exit OK = new Exit(0, 0);

  static Stream<String> agents() {
    return Stream.concat(Stream.of("command", "scout"), ofModels().stream());
  }

  static List<String> ofModels() {
    return AgentProgram.ofModels();
  }

  @ParameterizedTest
  @MethodSource("agents")
  void aSilentAgentIsBrokenAndSaysWhy(String agent) {
    assertThat(reader(agent).end(OK, ""))
        .isEqualTo(new AgentAnswer.Broken(Transcript.NO_OUTPUT, "no output", ""));
    assertThat(reader(agent).end(new Exit(3, 0), "oh\nno\n"))
        .isEqualTo(new AgentAnswer.Broken(Transcript.EXIT, "exit 3; stderr: oh no", ""));
    assertThat(broken(reader(agent).end(new Exit(143, 15), "")).reason())
        .isEqualTo("killed by signal 15 (exit 143)");
  }

  @ParameterizedTest
  @MethodSource("ofModels")
  @DisplayName("a good run runs a tool and answers with passages; its usage is counted once")
  void aGoodRun(String agent) {
    Agent.Reader reader = reader(agent);
    List<AgentSignal> said = said(reader, run(agent, "good"));

    assertThat(said).first().isInstanceOf(Identified.class);
    assertThat(said.stream().filter(ToolRunning.class::isInstance))
        .containsExactly(new ToolRunning(true), new ToolRunning(false));
    assertThat(said.stream().filter(Doing.class::isInstance))
        .singleElement()
        .asString()
        .containsPattern("(Read|read_file|view|command execution) .*Search.java");
    assertThat(said.stream().filter(Result.class::isInstance)).hasSize(1);
    List<Usage> used =
        said.stream().filter(Usage.class::isInstance).map(Usage.class::cast).toList();
    assertThat(used).last().isEqualTo(new Usage(136, 39, 90, agent.equals("claude") ? 12_346 : 0));
    assertThat(used).isSortedAccordingTo((a, b) -> Long.compare(a.tokens(), b.tokens()));
    var answer = (AgentAnswer.Complete) reader.end(OK, "a warning on stderr");
    assertThat(answer.text()).isEqualTo("The search is slow.");
    assertThat(answer.commit()).isEqualTo("abc");
    assertThat(answer.model()).isEqualTo("some-model");
    assertThat(answer.files())
        .singleElement()
        .satisfies(file -> assertThat(file.path()).isEqualTo("Search.java"));
  }

  @ParameterizedTest
  @MethodSource("ofModels")
  void anErrorKeepsItsWordsAndWhatWasSaidBefore(String agent) {
    Agent.Reader reader = reader(agent);
    said(reader, run(agent, "error"));

    AgentAnswer.Broken broken = broken(reader.end(new Exit(1, 0), ""));
    assertThat(broken.reason())
        .startsWith("agent error")
        .containsPattern("maximum budget|Internal [Ss]?e?r?v?e?r? ?[Ee]rror");
    assertThat(broken.text()).isEqualTo("so far");
  }

  @ParameterizedTest
  @MethodSource("agents")
  void garbageMeansNothingAndBreaksNothing(String agent) {
    Agent.Reader reader = reader(agent);
    for (String line :
        List.of("{", "{}", "{\"type\":7}", "\u0000\uffff", "[1,2", "{\"type\":\"new-kind\"}")) {
      assertThat(reader.line(line)).isEmpty();
    }
    assertThat(reader.soFar(false)).isInstanceOf(AgentAnswer.Broken.class);
  }

  @ParameterizedTest
  @MethodSource("ofModels")
  void aRunWithNoiseBetweenItsLinesSaysTheSame(String agent) {
    var noisy = new ArrayList<String>();
    for (String line : run(agent, "good")) {
      noisy.addAll(List.of("", "{", "[1,2", "null", "\u0000\uffff", "warning: slow"));
      noisy.addAll(List.of("{\"type\":\"new-kind\",\"usage\":3}", line));
    }

    assertThat(said(reader(agent), noisy)).isEqualTo(said(reader(agent), run(agent, "good")));
  }

  @Test
  void severalToolsAtOnceRunUntilTheLastEnds() {
    Agent.Reader claude = reader("claude");
    String ended =
        "{'type':'user','message':{'content':[{'type':'tool_result','tool_use_id':'%s'}]}}";

    assertThat(
            said(
                claude,
                "{'type':'assistant','message':{'content':["
                    + "{'type':'tool_use','id':'a'},{'type':'tool_use','id':'b'}]}}",
                ended.formatted("a"),
                ended.formatted("b")))
        .containsExactly(
            new ToolRunning(true),
            new ToolRunning(true),
            new ToolRunning(true),
            new ToolRunning(false));
  }

  @Test
  @DisplayName("an answer comes before its cost, so one over its budget is kept (INV-8)")
  void theAnswerComesBeforeItsCost() {
    List<AgentSignal> said =
        said(
            reader("claude"),
            "{'type':'result','subtype':'success','result':'answer','total_cost_usd':9}");

    assertThat(said).first().isInstanceOf(Result.class);
    assertThat(said).last().isEqualTo(new Usage(0, 0, 0, 9_000_000));
  }

  @Test
  @DisplayName("a turn that was cut off prints zeros; what was counted before stays (T15)")
  void totalsNeverShrink() {
    assertThat(
            said(
                reader("claude"),
                "{'type':'assistant','message':{'id':'m','usage':{'input_tokens':100}}}",
                "{'type':'result','subtype':'error_during_execution','is_error':true,"
                    + "'total_cost_usd':0,'usage':{'input_tokens':0}}"))
        .last()
        .isEqualTo(new Usage(100, 0, 0, 0));
  }

  @Test
  @DisplayName("figures that are nonsense are bounded: no exception, no negative money (INV-8)")
  void nonsenseFiguresAreBounded() {
    for (String cost : List.of("-5", "1e400", "9.9e300", "1e999999999", "'7'")) {
      var usage =
          (Usage)
              said(
                      reader("command"),
                      "{'type':'result','result':'x','total_cost_usd':"
                          + cost
                          + ",'usage':{'input_tokens':-9,'output_tokens':9223372036854775807}}")
                  .getLast();

      assertThat(usage.costMicros()).as(cost).isBetween(0L, 1_000_000_000_000L);
      assertThat(usage.inputTokens()).isZero();
      assertThat(usage.tokens()).isBetween(0L, 1_000_000_000_000L);
    }
  }

  @Test
  @DisplayName("a result line of any program is the answer with its passages")
  void aResultLineOfAProgram() {
    for (String field : List.of("text", "result")) {
      Agent.Reader program = reader("command");
      said(
          program,
          "{'type':'result','"
              + field
              + "':'found','commit':'abc','files':"
              + "[{'path':'A.java','fromLine':3,'toLine':5,'excerpt':'x'}]}");

      var answer = (AgentAnswer.Complete) program.end(OK, "");
      assertThat(answer.text()).isEqualTo("found");
      assertThat(answer.commit()).isEqualTo("abc");
      assertThat(answer.files()).singleElement().matches(file -> file.fromLine() == 3);
    }
  }

  @Test
  @DisplayName("codex reports its thread's total, of which only what is new counts (0.169.0)")
  void aTotalIsNotCountedTwice() {
    String turn =
        "{'type':'turn.completed','usage':"
            + "{'input_tokens':%d,'cached_input_tokens':%d,'output_tokens':%d}}";
    String first = turn.formatted(100, 40, 7);
    String second = turn.formatted(300, 120, 21);
    Agent codex = PlayedAgent.agent("codex");

    assertThat(said(codex.reader(), first)).contains(new Usage(60, 7, 40, 0));
    assertThat(said(codex.reader(), first, second)).contains(new Usage(180, 21, 120, 0));
    assertThat(said(codex.readers().apply(new TokenCount(60, 40, 7)), second))
        .contains(new Usage(120, 14, 80, 0));
    // 1.25, 10 and 0.125 dollars a million tokens: 60 * 1.25 + 7 * 10 + 40 * 0.125 = 150
    var prices = new TokenPrices(1_250_000, 10_000_000, 125_001);
    assertThat(codex.priced(prices).priced(new Usage(60, 7, 40, 0)))
        .as("rounded up")
        .isEqualTo(new Usage(60, 7, 40, 151));
  }

  @Test
  @DisplayName(
      "waiting for a network is a sign of life and no progress; an error item is a warning")
  void codexWarns() {
    String words = "Reconnecting... waiting for network (Connection failed)";

    assertThat(
            said(
                reader("codex"),
                "{'type':'error','message':'" + words + "'}",
                "{'type':'item.completed','item':{'id':'i','type':'error','message':'m'}}"))
        .containsExactly(new Waiting());
  }

  private static List<String> run(String agent, String name) {
    return PlayedAgent.lines("ends/" + agent + "." + name + ".txt").stream()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  private static Agent.Reader reader(String agent) {
    return PlayedAgent.agent(agent).reader();
  }

  private static AgentAnswer.Broken broken(AgentAnswer answer) {
    assertThat(answer).isInstanceOf(AgentAnswer.Broken.class);
    return (AgentAnswer.Broken) answer;
  }

  private static List<AgentSignal> said(Agent.Reader reader, String... lines) {
    return said(reader, Stream.of(lines).map(line -> line.replace('\'', '"')).toList());
  }

  private static List<AgentSignal> said(Agent.Reader reader, List<String> lines) {
    return lines.stream().flatMap(line -> reader.line(line).stream()).toList();
  }
}
