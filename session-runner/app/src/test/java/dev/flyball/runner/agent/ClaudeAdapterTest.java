package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.runner.agent.AgentSignal.ToolRunning;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What is particular about Claude Code")
class ClaudeAdapterTest {
  private static final String SESSION = "6a1f0c3e-0000-4000-8000-000000000001";
  private final StreamJsonReader reader = new StreamJsonReader();

  @Test
  void itIsStartedLockedReadOnlyAndDeafToTheRepositorysSettings() {
    assertThat(
            AgentCatalogue.claude("claude", "haiku", 500_000, AgentCatalogue.READ_ONLY)
                .command(SESSION))
        .containsExactly(
            "claude",
            "-p",
            "--output-format",
            "stream-json",
            "--verbose",
            "--session-id",
            SESSION,
            "--permission-mode",
            "dontAsk",
            "--tools",
            "Read,Glob,Grep",
            "--allowedTools",
            "Read,Glob,Grep",
            "--setting-sources",
            "",
            "--strict-mcp-config",
            "--json-schema",
            AnswerSchema.JSON,
            "--model",
            "haiku",
            "--max-budget-usd",
            "0.5");
    assertThat(AgentCatalogue.claude("claude", null, 0, AgentCatalogue.READ_ONLY).command(SESSION))
        .doesNotContain("--model", "--max-budget-usd");
  }

  @Test
  void severalToolsAtOnceRunUntilTheLastEnds() {
    assertThat(
            reader.line(
                "{\"type\":\"assistant\",\"message\":{\"content\":["
                    + "{\"type\":\"tool_use\",\"id\":\"a\"},{\"type\":\"tool_use\",\"id\":\"b\"}]}}"))
        .containsExactly(new ToolRunning(true), new ToolRunning(true));
    assertThat(reader.line(ended("a"))).containsExactly(new ToolRunning(true));
    assertThat(reader.line(ended("b"))).containsExactly(new ToolRunning(false));
  }

  @Test
  @DisplayName("a limit that is over is not blamed for a later failure (trap T6)")
  void anAnswerEndsALimit() {
    assertThat(
            reader.line(
                "{\"type\":\"system\",\"subtype\":\"api_retry\",\"error_status\":529,"
                    + "\"error\":\"overloaded\"}"))
        .containsExactly(new Waiting("overloaded"));
    assertThat(failure(reader.soFar())).isEqualTo(new Failure(Kind.PROVIDER, Fault.OUTAGE));
    assertThat(
            reader.line(
                "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":1}}}"))
        .containsExactly(new Usage(1, 0, 0, 0));
    assertThat(failure(reader.soFar())).isEqualTo(Transcript.UNANSWERED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          'subtype':'success','is_error':true,'api_error_status':529,'terminal_reason':'api_error','result':'API Error: 529' | provider | provider-outage | agent error api_error 529: API Error: 529
          'subtype':'error_during_execution','is_error':true,'num_turns':0,'errors':['No conversation found with session ID: x'] | transient | unknown-session | claude does not know the session that it was to resume
          'subtype':'error_during_execution','is_error':true,'errors':['No conversation found with session ID: x'] | transient | agent-error | agent error error_during_execution: No conversation found with session ID: x
          'subtype':'error_during_execution','is_error':true,'num_turns':3,'errors':['No conversation found with session ID: x'] | transient | agent-error | agent error error_during_execution: No conversation found with session ID: x
          'subtype':'error_during_execution','is_error':true,'terminal_reason':'aborted_streaming','errors':['interrupted'] | transient | agent-error | agent error error_during_execution: interrupted
          'subtype':'error_max_budget_usd','is_error':true,'errors':['Reached maximum budget ($1)'] | permanent | session-budget | agent error error_max_budget_usd: Reached maximum budget ($1)
          'subtype':'error_max_turns','is_error':false | transient | agent-error | agent error error_max_turns
          'subtype':'success','is_error':true,'terminal_reason':'prompt_too_long','result':'too long' | poison | prompt-too-long | prompt too long for the model
          'subtype':'success','is_error':false,'result':'' | transient | no-output | no output: the result line has no text
          'subtype':'success','is_error':false,'result':'','permission_denials':[{'tool_name':'Bash'},{'tool_name':'Bash'}] | transient | no-output | no output: the result line has no text; 2 tool calls denied: Bash
          """)
  void everyKindOfBadResultHasItsFailureAndReason(
      String fields, String kind, String code, String reason) {
    var _ = reader.line(("{'type':'result'," + fields + "}").replace('\'', '"'));

    assertThat(reader.end(new Exit(0, 0), ""))
        .isInstanceOfSatisfying(
            AgentAnswer.Broken.class,
            broken -> {
              assertThat(broken.failure()).isEqualTo(new Failure(Kind.ofLabel(kind), code));
              assertThat(broken.reason()).isEqualTo(reason);
            });
  }

  @Test
  @DisplayName("an answer that never matches the schema is kept, because its words were paid for")
  void wordsAreKeptWhereTheSchemaIsNeverMet() {
    var _ =
        reader.line(
            "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":["
                + "{\"type\":\"text\",\"text\":\"The index is stale.\"}]}}");
    var _ =
        reader.line(
            "{\"type\":\"result\",\"subtype\":\"error_max_structured_output_retries\","
                + "\"is_error\":true,\"errors\":[\"Failed after 5 attempts\"]}");

    assertThat(reader.end(new Exit(1, 0), ""))
        .isInstanceOfSatisfying(
            AgentAnswer.Complete.class,
            answer -> assertThat(answer.text()).isEqualTo("The index is stale."));
  }

  @Test
  @DisplayName("a missing login is a fault of the runner")
  void aMissingLoginIsNoFaultOfTheItem() {
    var _ =
        reader.line(
            "{\"type\":\"assistant\",\"error\":\"authentication_failed\",\"message\":"
                + "{\"model\":\"<synthetic>\",\"content\":[{\"type\":\"text\",\"text\":\"Not logged"
                + " in\"}]}}");
    var _ =
        reader.line(
            "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"Not logged"
                + " in\"}");

    assertThat(reader.end(new Exit(1, 0), ""))
        .isEqualTo(
            new AgentAnswer.Broken(
                new Failure(Kind.RUNNER, "agent-login"),
                "agent error authentication_failed: Not logged in",
                ""));
  }

  @Test
  @DisplayName("the result of a notification is no answer; what it cost counts")
  void aSecondResultDoesNotReplaceTheAnswer() {
    var _ =
        reader.line(
            "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"answer\","
                + "\"total_cost_usd\":0.1}");
    List<AgentSignal> second =
        reader.line(
            "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,"
                + "\"total_cost_usd\":0.2,\"origin\":{\"kind\":\"task-notification\"}}");

    assertThat(second).contains(new Usage(0, 0, 0, 200_000));
    assertThat(reader.end(new Exit(0, 0), "").text()).isEqualTo("answer");
  }

  @Test
  @DisplayName(
      "an answer that went over its budget is said before its cost, and so is kept (INV-8)")
  void theAnswerComesBeforeItsCost() {
    List<AgentSignal> said =
        reader.line(
            "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"answer\","
                + "\"total_cost_usd\":9}");

    assertThat(said).last().isEqualTo(new Usage(0, 0, 0, 9_000_000));
    assertThat(said).first().isInstanceOf(AgentSignal.Result.class);
  }

  @Test
  @DisplayName("a turn that was cut off prints zeros; what was counted before stays (T15)")
  void totalsNeverShrink() {
    var _ =
        reader.line(
            "{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":100,"
                + "\"output_tokens\":1}}}");

    assertThat(
            reader.line(
                "{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,"
                    + "\"total_cost_usd\":0,\"usage\":{\"input_tokens\":0}}"))
        .contains(new Usage(100, 1, 0, 0));
  }

  private static Failure failure(AgentAnswer answer) {
    return ((AgentAnswer.Broken) answer).failure();
  }

  private static String ended(String id) {
    return "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
        + "\"tool_use_id\":\""
        + id
        + "\"}]}}";
  }
}
