package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.ClaudeCli.Place;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.testkit.MessagesApi;
import dev.flyball.testkit.MessagesApi.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("long")
@Timeout(120)
@DisplayName("The real claude, contained, against a provider of ours")
class ClaudeCliIT {
  private static final String MODEL = "claude-opus-5-5";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final KillLadder LADDER =
      new KillLadder(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofSeconds(10));

  @TempDir Path folder;
  private Place place;

  @BeforeEach
  void prepare() throws IOException {
    place = Place.in(folder);
  }

  @Test
  void anAnswerComesWithItsModelItsUsageAndItsCost() {
    try (var api = MessagesApi.answering(Turn.analysis("The search is slow."));
        var session = run(api, readOnly(0))) {
      assertThat(session.answer())
          .isInstanceOfSatisfying(
              AgentAnswer.Complete.class,
              answer -> {
                assertThat(answer.text()).startsWith("The search is slow.");
                assertThat(answer.files())
                    .containsExactly(new Passage("src/A.java", 3, 5, "int a;"));
                assertThat(answer.deserved()).isEqualTo("true");
                assertThat(answer.model()).isEqualTo(MODEL);
              });
      assertThat(session.said(Identified.class))
          .containsExactly(new Identified(session.id(), MODEL));
      assertThat(session.said(Usage.class))
          .last()
          .satisfies(used -> {
            assertThat(used.inputTokens()).isEqualTo(MessagesApi.INPUT_TOKENS);
            assertThat(used.outputTokens()).isEqualTo(MessagesApi.OUTPUT_TOKENS);
            assertThat(used.cachedTokens()).isEqualTo(MessagesApi.CACHED_TOKENS);
            assertThat(used.costMicros()).isPositive();
          });
      assertThat(api.requests()).singleElement().asString().contains("the prompt of this test");
    }
  }

  @Test
  @DisplayName("words alone are an answer, after one more request for the schema")
  void wordsAreAskedForTheSchemaOnceAndKept() {
    try (var api = MessagesApi.answering(new Turn.Says("The search is slow."));
        var session = run(api, readOnly(0))) {
      assertThat(session.answer())
          .isInstanceOfSatisfying(
              AgentAnswer.Complete.class,
              answer -> assertThat(answer.text()).isEqualTo("The search is slow."));
      assertThat(api.requests()).hasSize(2);
    }
  }

  @Test
  @DisplayName(
      "a hostile repository starts nothing and its words stay unread; a tool that is not named does"
          + " not exist for the model (S0-13)")
  void nothingOfTheRepositoryIsObeyed() throws IOException {
    HostileRepository hostile = HostileRepository.in(place.repository());
    try (var api =
            MessagesApi.answering(
                new Turn.Runs(hostile.touch("shell")), new Turn.Says("could not"));
        var session = run(api, readOnly(0))) {
      assertThat(session.answer().text()).isEqualTo("could not");
      assertThat(api.requests()).isNotEmpty().noneMatch(it -> it.contains(HostileRepository.WORDS));
      assertThat(api.requests()).first().asString().doesNotContain("\"name\":\"Bash\"");
    }
    hostile.startedNothing();
  }

  /**
   * The program (2.1.329) prints no result after about 3 of 100 of such signals and exits with 0,
   * outside of any containment too, so one of three sessions has to have its result.
   */
  @Test
  @DisplayName("INT ends a turn with a result and no harder signal (S0-21)")
  void cancelIsGentle() {
    var reasons = new ArrayList<String>();
    while (reasons.size() < 3 && reasons.stream().noneMatch(ClaudeCliIT::hasResult)) {
      reasons.add(reasonAfterInterrupt());
    }
    assertThat(reasons).last().matches(ClaudeCliIT::hasResult);
  }

  private static boolean hasResult(String reason) {
    return reason.contains("error_during_execution");
  }

  private String reasonAfterInterrupt() {
    try (var api = MessagesApi.answering(new Turn.Stalls());
        var session = run(api, readOnly(0))) {
      await().atMost(PATIENCE).until(() -> !api.requests().isEmpty());

      var report = session.kill(LADDER);

      assertThat(report.steps()).containsExactly("INT");
      assertThat(report.survivors()).isZero();
      AgentAnswer answer = session.answer();
      assertThat(answer).isInstanceOf(AgentAnswer.Broken.class);
      return ((AgentAnswer.Broken) answer).reason();
    }
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource({
    "401, , runner agent-login",
    "403, , runner agent-login",
    "404, , runner agent-model",
    "429, , provider provider-limit",
    "500, , provider provider-outage",
    "529, , provider provider-outage",
    "200, ANTHROPIC_API_KEY=, runner agent-login",
    "200, ANTHROPIC_BASE_URL=http://127.0.0.1:1, runner agent-network",
    "200, ANTHROPIC_BASE_URL=http://no-such-host.invalid, runner agent-network",
    "200, CLAUDE_CONFIG_DIR=broken, runner agent-settings"
  })
  @DisplayName("a fault that is not the item's is named, and costs nothing")
  void aFaultIsChargedToWhomItBelongs(int status, @Nullable String variable, String failure)
      throws IOException {
    Path broken = Files.createDirectory(folder.resolve("broken"));
    Files.writeString(broken.resolve(".claude.json"), "{ broken");
    try (var api = MessagesApi.answering(new Turn.Fails(status))) {
      var environment = new HashMap<>(Map.of("ANTHROPIC_BASE_URL", api.url()));
      environment.put("ANTHROPIC_API_KEY", "k");
      if (variable != null) {
        String[] parts = variable.split("=", 2);
        environment.put(parts[0], parts[1].equals("broken") ? broken.toString() : parts[1]);
      }
      try (var session = place.start(readOnly(0), environment)) {
        assertThat(ClaudeCli.failure(session.answer())).isEqualTo(failure);
        assertThat(session.reported()).isNotEqualTo(Agent.Reported.IN_PART);
        assertThat(api.requests()).as("retries are few (trap T8)").hasSizeLessThanOrEqualTo(4);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"seven_day, false", "seven_day_opus, true"})
  @DisplayName("a subscription's limit names its end, and its model if it is a model's")
  void aWeeklyLimitNamesItsEnd(String claim, boolean ofModel) {
    long end = Instant.now().plus(Duration.ofDays(3)).getEpochSecond();
    try (var api = MessagesApi.answering(new Turn.Limits(claim, end))) {
      Map<String, String> login =
          Map.of(
              "ANTHROPIC_BASE_URL", api.url(), "CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-no-token");
      try (var session = place.start(readOnly(0), login)) {
        AgentAnswer answer = session.answer();
        assertThat(ClaudeCli.failure(answer)).isEqualTo("provider provider-limit");
        Fault fault = ((AgentAnswer.Broken) answer).fault();
        assertThat(fault.until(Instant.EPOCH)).isEqualTo(end);
        assertThat(fault.ofModel()).isEqualTo(ofModel);
      }
    }
  }

  // T7
  @Test
  void aSpentBudgetIsTheReasonAndWhatWasSaidIsKept() {
    try (var api = MessagesApi.answering(new Turn.Says("so far"));
        var session = run(api, readOnly(1))) {
      assertThat(session.answer())
          .isInstanceOfSatisfying(
              AgentAnswer.Broken.class,
              broken -> {
                assertThat(broken.reason()).startsWith("agent error error_max_budget_usd");
                assertThat(broken.text()).isEqualTo("so far");
              });
    }
  }

  private Agent readOnly(long budgetMicros) {
    return new Claude(MODEL)
        .session(new Setup(DeepPrompt.BUNDLED, Setup.DEFAULT.tools(), List.of(), budgetMicros));
  }

  private ClaudeCli run(MessagesApi api, Agent adapter) {
    return place.start(adapter, api.environment());
  }
}
