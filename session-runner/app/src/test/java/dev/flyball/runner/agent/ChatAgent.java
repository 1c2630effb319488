package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.ClaudeCli.Place;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds for each real agent that asks an endpoint of chat completions. */
@Tag("long")
@Timeout(120)
abstract class ChatAgent {
  private static final String EARLIER = "8a612f5e-f2fc-4f47-bfdb-86684824c113";

  final FaultServer endpoint = FaultServer.http();
  @TempDir Path folder;
  Place place;

  /** The agent with a model that is named {@code some-model}. */
  abstract Agent agent();

  /** Its tool that runs a command, which it must not have. */
  abstract String shell();

  /** The variables with a key, by which it finds the endpoint. */
  abstract Map<String, String> environment();

  @BeforeEach
  void prepare() throws IOException {
    place = Place.in(folder);
  }

  @AfterEach
  void close() {
    endpoint.close();
  }

  @Test
  void aResumedSessionKnowsWhatWasSaidAndCountsOnlyItsOwnTokens() {
    endpoint.otherwise(_ -> says("The search is slow."));
    try (var session = place.start(agent(), environment())) {
      assertThat(session.answer().text()).isEqualTo("The search is slow.");
      assertThat(session.reported()).isEqualTo(Agent.Reported.ALL);
      assertThat(session.said(Usage.class).getLast()).isEqualTo(new Usage(60, 20, 40, 0));
      endpoint.forget();

      var before = new TokenCount(60, 40, 20);
      try (var next = place.resume(session.id(), before, agent(), environment())) {
        assertThat(next.answer().text()).isEqualTo("The search is slow.");
        assertThat(endpoint.requests().getFirst().body()).contains("The search is slow.");
        assertThat(next.said(Usage.class).getLast()).isEqualTo(new Usage(60, 20, 40, 0));
      }
    }
  }

  @RepeatedTest(5)
  @DisplayName("what a hostile repository holds starts nothing, and its words are only data")
  void nothingOfTheRepositoryIsObeyed() throws IOException {
    HostileRepository hostile = HostileRepository.in(place.repository());
    endpoint
        .then(calls(shell(), Map.of("command", hostile.touch("shell"), "description", "touch")))
        .otherwise(_ -> says("done"));

    try (var session = place.start(agent(), environment())) {
      assertThat(session.answer().text()).isEqualTo("done");
    }
    hostile.startedNothing();
    assertThat(endpoint.requests()).hasSize(2);
    assertThat(endpoint.requests().getFirst().body()).doesNotContain(HostileRepository.WORDS);
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          401 | no | runner agent-login
          403 | no | runner agent-login
          404 | The model some-model does not exist | runner agent-model
          400 | maximum context length is 8192 tokens | poison prompt-too-long
          402 | insufficient balance | provider account-exhausted
          """)
  void aFaultIsChargedToWhomItBelongsAndCostsNothing(int status, String said, String failure) {
    String body = RecordJson.write(Map.of("error", Map.of("message", said)));
    endpoint.otherwise(_ -> FaultReply.json(status, body));

    fails(failure, environment());
  }

  @Test
  void aMissingKeyIsAMissingLogin() {
    fails("runner agent-login", Map.of());
  }

  @Test
  void aSessionThatItDoesNotKnowIsSaidToBeSo() {
    try (var session = place.resume(EARLIER, TokenCount.NONE, agent(), environment())) {
      assertThat(ClaudeCli.failure(session.answer())).isEqualTo("transient unknown-session");
    }
  }

  private void fails(String failure, Map<String, String> environment) {
    try (var session = place.start(agent(), environment)) {
      assertThat(ClaudeCli.failure(session.answer())).isEqualTo(failure);
      assertThat(session.reported()).isNotEqualTo(Agent.Reported.IN_PART);
    }
  }

  /** A message: 100 tokens in, 40 of them cached, 20 out. */
  static FaultReply says(String text) {
    return streamed(Map.of("content", text), "stop");
  }

  private static FaultReply calls(String tool, Map<String, String> arguments) {
    Map<String, String> call = Map.of("name", tool, "arguments", RecordJson.write(arguments));
    return streamed(
        Map.of(
            "tool_calls",
            List.of(Map.of("index", 0, "id", "t", "type", "function", "function", call))),
        "tool_calls");
  }

  private static FaultReply streamed(Map<String, Object> delta, String reason) {
    Map<String, Object> usage =
        Map.of(
            "prompt_tokens", 100,
            "completion_tokens", 20,
            "total_tokens", 120,
            "prompt_tokens_details", Map.of("cached_tokens", 40));
    String stream =
        event(Map.of("choices", List.of(Map.of("index", 0, "delta", delta))))
            + event(
                Map.of(
                    "choices",
                    List.of(Map.of("index", 0, "delta", Map.of(), "finish_reason", reason))))
            + event(Map.of("choices", List.of(), "usage", usage))
            + "data: [DONE]\n\n";
    return new FaultReply.Whole(
        200, Map.of("Content-Type", "text/event-stream"), stream.getBytes(StandardCharsets.UTF_8));
  }

  private static String event(Map<String, Object> fields) {
    var chunk = new HashMap<>(fields);
    chunk.put("id", "c");
    chunk.put("object", "chat.completion.chunk");
    chunk.put("created", 1);
    chunk.put("model", "some-model");
    return "data: " + RecordJson.write(chunk) + "\n\n";
  }
}
