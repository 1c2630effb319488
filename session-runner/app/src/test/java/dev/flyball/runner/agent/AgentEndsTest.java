package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.session.End;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("How an agent's end is read: its answer, whose fault it is, and what is booked")
class AgentEndsTest {
  private static final Instant NOW = Instant.parse("2026-11-27T20:00:00Z");

  /** One row of the table. */
  record Expected(
      String file, String outcome, String failure, String text, long booked, String until) {
    static Expected of(String row) {
      String[] cells = Stream.of(row.split("[|]", -1)).map(String::strip).toArray(String[]::new);
      return new Expected(
          cells[0], cells[1], cells[2], cells[3], Long.parseLong(cells[4]), cells[5]);
    }

    PlayedAgent played() {
      return new PlayedAgent(agent(), lines());
    }

    Agent agent() {
      return PlayedAgent.agent(file.substring(0, file.indexOf('.')));
    }

    List<String> lines() {
      return PlayedAgent.lines("ends/" + file + ".txt");
    }

    @Override
    public String toString() {
      return file + ": " + outcome + " " + failure;
    }
  }

  static List<Expected> rows() {
    return PlayedAgent.lines("ends.csv").stream()
        .filter(row -> !row.startsWith("#"))
        .map(Expected::of)
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void everyEndIsChargedToWhomItBelongs(Expected row) {
    PlayedAgent agent = row.played();
    AgentAnswer answer = agent.answer();
    End end = agent.end();

    assertThat(end.outcome()).as(end.text()).isEqualTo(Outcome.ofLabel(row.outcome()));
    Failure why = end.failure();
    assertThat(why == null ? "-" : why.kind().label() + " " + why.code())
        .as(end.text())
        .isEqualTo(row.failure());
    if (row.text().isEmpty()) {
      assertThat(answer.text()).isEmpty();
    } else {
      assertThat(answer.text()).startsWith(row.text());
    }
    assertThat(agent.booked()).isEqualTo(row.booked());
    String until =
        answer instanceof AgentAnswer.Broken broken
                && broken.failure().kind() == Failure.Kind.PROVIDER
            ? until(broken.fault().until(NOW))
            : "";
    assertThat(until).isEqualTo(row.until());
  }

  private static String until(long seconds) {
    return seconds == 0 ? "unknown" : Instant.ofEpochSecond(seconds).toString();
  }

  @Test
  void onlyTheModelThatIsLimitedIsNamedAsLimited() {
    assertThat(rows())
        .filteredOn(row ->
            row.played().answer() instanceof AgentAnswer.Broken broken && broken.fault().ofModel())
        .extracting(Expected::file)
        .containsExactly("claude.limit-of-a-model");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  @DisplayName(
      "cut after any line in any way, what it may have spent is booked, an answer stays, and an"
          + " item is not charged for a fault of others (INV-8)")
  void whereverARunIsCut(Expected run) {
    IntStream.rangeClosed(0, run.lines().size())
        .forEach(cut -> ends().forEach(end -> check(run, cut, end)));
  }

  /** How a run is ended: by itself, or from outside. */
  private record Cut(End cause, Exit exit) {}

  private static Stream<Cut> ends() {
    return Stream.of(
        new Cut(End.EXITED, new Exit(0, 0)),
        new Cut(End.EXITED, new Exit(1, 0)),
        new Cut(End.EXITED, new Exit(139, 11)),
        new Cut(PlayedAgent.SILENCE, new Exit(137, 9)),
        new Cut(End.of(End.Cause.INTERRUPTED, "runner shutdown"), new Exit(143, 15)));
  }

  private static void check(Expected run, int cut, Cut how) {
    List<String> lines =
        run.lines().subList(0, cut).stream()
            .filter(line -> !line.startsWith("#") || line.startsWith("#err"))
            .toList();
    // A program of the operator costs money where it has prices.
    boolean own = run.file().startsWith("command.");
    Agent paid = own ? run.agent().priced(new TokenPrices(1, 1, 1)) : run.agent();
    var agent = new PlayedAgent(paid, lines);
    agent.cause = how.cause();
    agent.exit = how.exit();
    AgentAnswer answer = agent.answer();
    End end = agent.end();
    String what = run + " cut after " + cut + ", " + how + ": " + end;

    assertThat(agent.booked()).as(what).isGreaterThanOrEqualTo(spent(lines));
    agent.said.stream()
        .filter(AgentSignal.Result.class::isInstance)
        .map(it -> ((AgentSignal.Result) it).answer())
        .filter(AgentAnswer.Complete.class::isInstance)
        .reduce((earlier, later) -> later)
        .ifPresent(said -> assertThat(answer).as(what).isEqualTo(said));
    if (answer instanceof AgentAnswer.Broken broken && broken.blamesOthers()) {
      assertThat(end.outcome()).as(what).isEqualTo(Outcome.INTERRUPTED);
    }
  }

  /**
   * The least that a run may have cost: its whole reserve if the model has worked since the last
   * report of a cost, else that cost.
   */
  private static long spent(List<String> lines) {
    long spent = 0;
    boolean owed = false;
    for (String line : lines) {
      JsonNode node = JsonLinesReader.object(line).orElse(null);
      if (node == null) {
        continue;
      }
      JsonNode cost = node.path("total_cost_usd");
      if (cost.asDouble() > 0) {
        spent = Math.max(spent, JsonLinesReader.micros(cost));
        owed = false;
      } else {
        owed |= works(node);
      }
    }
    return owed ? PlayedAgent.RESERVE : spent;
  }

  private static final Set<String> WARNINGS = Set.of("error");

  /** Whether only a model that has answered makes a program print this. */
  private static boolean works(JsonNode node) {
    return switch (JsonLinesReader.type(node)) {
      case "assistant" ->
          !node.path("message").path("model").asText().equals("<synthetic>")
              && !node.at("/message/content/0/text").asText().startsWith("[API Error");
      case "item.started", "item.completed" ->
          !WARNINGS.contains(JsonLinesReader.type(node.path("item")));
      case "message" ->
          node.path("role").asText().equals("assistant")
              && !node.path("content").asText().startsWith("[API Error");
      case "tool_use" -> true;
      default -> false;
    };
  }
}
