package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import dev.flyball.triage.classify.ModelCall.Reply;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One call of a model over HTTP. */
final class HttpModelCallTest {
  private final FaultServer server = FaultServer.http();

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aMessagesEndpointAnswersThroughTheToolAndIsPriced() throws Exception {
    server.then(
        FaultReply.json(
            "{\"content\":[{\"type\":\"tool_use\",\"input\":{\"verdicts\":[]}}],"
                + "\"usage\":{\"input_tokens\":1000,\"output_tokens\":200}}"));

    assertThat(call(HttpDialect.ANTHROPIC).ask("Sort.", "{}"))
        .isEqualTo(new Reply("{\"verdicts\":[]}", 2000L, 1000, 200));
    var request = server.requests().getFirst();
    assertThat(request.headers()).containsEntry("x-api-key", "secret");
    assertThat(RecordJson.parse(request.body()).at("/messages/0/content").asText())
        .isEqualTo("Sort.");
  }

  @Test
  void aChatCompletionsEndpointAnswersByItsMessage() throws Exception {
    server.then(
        FaultReply.json(
            "{\"choices\":[{\"message\":{\"content\":\"{}\"}}],"
                + "\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":200}}"));

    assertThat(call(HttpDialect.OPENAI).ask("Sort.", "{}"))
        .isEqualTo(new Reply("{}", 2000L, 1000, 200));
    assertThat(server.requests().getFirst().headers())
        .containsEntry("authorization", "Bearer secret");
  }

  @ParameterizedTest
  @CsvSource({
    "408, UNAVAILABLE",
    "429, UNAVAILABLE",
    "500, UNAVAILABLE",
    "529, UNAVAILABLE",
    "400, REFUSED",
    "401, REFUSED",
    "404, REFUSED",
    "302, REFUSED",
    "413, BAD_BATCH"
  })
  void aStatusSaysWhatMayHelp(int status, Kind kind) {
    server.then(FaultReply.json(status, "{}"));

    assertThat(failed().kind()).isEqualTo(kind);
  }

  @Test
  void thePauseThatTheProviderWantsIsKept() {
    server.then(FaultReply.status(429, Map.of("Retry-After", "7")));

    assertThat(failed().retryAfter()).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aServerThatNeverEndsItsAnswerIsLeft() {
    server.then(new FaultReply.Dripping());

    assertThat(failed().kind()).isEqualTo(Kind.UNAVAILABLE);
  }

  @Test
  void aFloodIsNotRead() {
    server.then(new FaultReply.Flood(HttpModelCall.MOST_BYTES * 2, false));

    assertThat(failed().kind()).isEqualTo(Kind.UNAVAILABLE);
  }

  @Test
  void anAnswerThatWasCutOffIsTheBatchsFaultAndStillCosts() {
    server.then(
        FaultReply.json(
            "{\"content\":[],\"stop_reason\":\"max_tokens\",\"usage\":{\"output_tokens\":200}}"));

    ModelFailure failure = failed();
    assertThat(failure.kind()).isEqualTo(Kind.BAD_BATCH);
    assertThat(failure.costMicros()).isEqualTo(1000);
  }

  private ModelFailure failed() {
    return catchThrowableOfType(
        ModelFailure.class, () -> call(HttpDialect.ANTHROPIC).ask("Sort.", "{}"));
  }

  private ModelCall call(HttpDialect dialect) {
    return new HttpModelCall(
        new HttpModelCall.Settings(
            dialect,
            server.url(),
            "small",
            "MODEL_TOKEN",
            Duration.ofSeconds(2),
            1_000_000,
            5_000_000),
        Map.of("MODEL_TOKEN", "secret"));
  }
}
