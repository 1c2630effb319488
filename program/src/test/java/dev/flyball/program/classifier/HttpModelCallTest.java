package dev.flyball.program.classifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfiguredClassifier.ByMessages;
import dev.flyball.program.config.ModelApi;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import dev.flyball.triage.classify.ModelCall.Reply;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("One call of a model over HTTP")
final class HttpModelCallTest {
  private static final Map<String, String> TOKEN = Map.of("MODEL_TOKEN", "secret-token");

  /** One dollar for a million input tokens, five for a million output tokens. */
  private static final TokenPrices PRICES = new TokenPrices(1_000_000, 5_000_000, 1_000_000);

  private static final String VERDICTS =
      """
      {"content":[{"type":"tool_use","input":{"verdicts":[]}}],\
      "usage":{"input_tokens":1000,"output_tokens":200}}\
      """;

  @AutoClose private final FaultServer server = FaultServer.http();

  @Test
  void aMessagesEndpointAnswersThroughTheToolAndIsPriced() throws Exception {
    server.then(FaultReply.json(VERDICTS));

    assertThat(ask(ModelApi.MESSAGES, PRICES))
        .isEqualTo(new Reply("{\"verdicts\":[]}", 2000L, 1000, 200));
    FaultRequest request = server.requests().getFirst();
    assertThat(request.target()).isEqualTo("/v1/messages");
    assertThat(request.headers())
        .containsEntry("x-api-key", "secret-token")
        .containsKey("anthropic-version");
    assertThat(RecordJson.parse(request.body()).at("/messages/0/content").asText())
        .isEqualTo("Sort.");
  }

  @Test
  @DisplayName("a Chat Completions endpoint gets the schema twice, and no header of another vendor")
  void aChatCompletionsEndpointAnswersByItsMessage() throws Exception {
    server.then(
        FaultReply.json(
            """
            {"choices":[{"message":{"content":"Here: ```json {\\"verdicts\\":[]} ```"}}],\
            "usage":{"prompt_tokens":1000,"completion_tokens":200}}\
            """));

    assertThat(ask(ModelApi.CHAT, PRICES))
        .isEqualTo(new Reply("{\"verdicts\":[]}", 2000L, 1000, 200));
    FaultRequest request = server.requests().getFirst();
    assertThat(request.target()).isEqualTo("/v1/chat/completions");
    assertThat(request.headers())
        .containsEntry("authorization", "Bearer secret-token")
        .doesNotContainKeys("anthropic-version", "x-api-key");
    assertThat(RecordJson.parse(request.body()).at("/messages/0/content").asText())
        .startsWith("Sort.")
        .contains("{\"type\":\"object\"}");
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "MESSAGES, https://a.example,           https://a.example/v1/messages",
    "MESSAGES, https://a.example/gate,      https://a.example/gate/v1/messages",
    "MESSAGES, https://a.example/v1,        https://a.example/v1/messages",
    "CHAT,     https://a.example,           https://a.example/v1/chat/completions",
    "CHAT,     https://a.example/openai/v1, https://a.example/openai/v1/chat/completions"
  })
  void theRootMayHaveTheVersionOrNot(ModelApi api, String root, String address) {
    assertThat(api.endpoint(URI.create(root))).hasToString(address);
  }

  @Test
  @DisplayName("without prices, or without a count of tokens, the cost is unknown, not 0")
  void unknownCost() throws Exception {
    server.then(
        FaultReply.json(VERDICTS),
        FaultReply.json("{\"content\":[{\"type\":\"tool_use\",\"input\":{}}]}"));

    assertThat(ask(ModelApi.MESSAGES, null))
        .isEqualTo(new Reply("{\"verdicts\":[]}", null, 1000, 200));
    assertThat(ask(ModelApi.MESSAGES, PRICES).costMicros()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "408, SLOW, 0",
    "429, UNAVAILABLE, 0",
    "503, UNAVAILABLE, 0",
    "529, UNAVAILABLE, 0",
    "400, BAD_BATCH, 0",
    "422, BAD_BATCH, 0",
    "401, REFUSED, 0",
    "403, UNCLEAR, 0",
    "404, REFUSED, 0",
    "302, REFUSED, 0",
    "413, BAD_BATCH, 0",
    "500, UNCLEAR,",
    "502, UNCLEAR,",
    "504, SLOW,"
  })
  @DisplayName("a rejected request costs nothing; a server that breaks may have asked its model")
  void aStatusSaysWhatMayHelpAndWhatItCost(int status, Kind kind, @Nullable Long costMicros) {
    server.then(FaultReply.json(status, "{\"error\":\"bad key secret-token\"}"));

    assertThat(failed())
        .hasMessageContaining(status == 401 ? "bad key" : "")
        .hasMessageNotContaining("secret-token")
        .returns(kind, ModelFailure::kind)
        .returns(costMicros, ModelFailure::costMicros);
  }

  @Test
  @DisplayName("one request above a limit of tokens never passes: it is no rate limit")
  void aRequestAboveALimitOfTokensIsTheBatchsFault() {
    server.then(
        FaultReply.json(429, "{\"error\":{\"message\":\"Request too large for small: 210000\"}}"));

    assertThat(failed().kind()).isEqualTo(Kind.BAD_BATCH);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          7                             | 7
          Tue, 01 Jan 2999 00:00:00 GMT | 3600
          """)
  @DisplayName("the pause that the provider wants is kept, an hour at most: seconds, or a date")
  void thePauseIsKept(String header, long seconds) {
    server.then(FaultReply.status(429, Map.of("Retry-After", header)));

    assertThat(failed().retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  @DisplayName("what never ends is left, a flood is read up to the limit only; the cost is unknown")
  void anAnswerThatNeverComesWholeMayHaveCost() {
    Map.of(
            new FaultReply.Dripping(), Kind.SLOW,
            new FaultReply.Reset(), Kind.UNCLEAR,
            new FaultReply.Flood(1L << 40, false), Kind.BAD_BATCH)
        .forEach((fault, kind) -> {
          server.then(fault);

          assertThat(failed())
              .as(fault.toString())
              .returns(kind, ModelFailure::kind)
              .returns(null, ModelFailure::costMicros);
        });
  }

  @Test
  void aServerThatIsDownIsUnavailableAndCostsNothing() {
    server.close();

    ModelFailure failure = failed();
    assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failure.costMicros()).isZero();
    assertThat(failure).hasMessageContaining("triage.url").hasMessageNotContaining("Exception");
  }

  @Test
  void anAnswerThatWasCutOffIsTheBatchsFaultAndStillCosts() {
    server.then(
        FaultReply.json(
            "{\"content\":[],\"stop_reason\":\"max_tokens\",\"usage\":{\"output_tokens\":200}}"));

    ModelFailure failure = failed();
    assertThat(failure.kind()).isEqualTo(Kind.BAD_BATCH);
    assertThat(failure.costMicros()).isEqualTo(1000);
    assertThat(failure.tokens()).isEqualTo(200);
  }

  @Test
  void aRedirectIsNotFollowed() {
    try (var other = FaultServer.http()) {
      other.otherwise(request -> FaultReply.json(VERDICTS));
      server.then(FaultReply.redirect(307, other.url() + "/v1/messages"));

      assertThat(failed().kind()).isEqualTo(Kind.REFUSED);
      assertThat(other.requests()).isEmpty();
    }
  }

  @Test
  void aTokenThatIsNotSetIsMissedBeforeAnythingIsSent() {
    var call = call(server.url(), ModelApi.MESSAGES, PRICES, Map.of());

    assertThat(catchThrowableOfType(StartFailure.class, call::open))
        .hasMessageContaining("MODEL_TOKEN");
    assertThat(failed(call))
        .returns(Kind.REFUSED, ModelFailure::kind)
        .returns(0L, ModelFailure::costMicros);
    assertThat(server.requests()).isEmpty();
  }

  @Test
  @DisplayName("the proxy of the environment is used, except for this machine itself")
  void theProxyIsUsed() throws Exception {
    server.otherwise(request -> FaultReply.json(VERDICTS));
    var environment = Map.of("MODEL_TOKEN", "secret-token", "HTTP_PROXY", server.url().toString());

    var far = call(URI.create("http://models.invalid"), ModelApi.MESSAGES, PRICES, environment);
    assertThat(far.ask("Sort.", "{}").text()).isEqualTo("{\"verdicts\":[]}");
    assertThat(server.requests().getFirst().target()).startsWith("http://models.invalid/");

    try (var near = FaultServer.http()) {
      near.then(FaultReply.json(VERDICTS));
      var _ = call(near.url(), ModelApi.MESSAGES, PRICES, environment).ask("Sort.", "{}");
      assertThat(near.requests()).hasSize(1);
    }
  }

  @Test
  void aStopEndsTheCall() {
    server.then(new FaultReply.Silent());
    var call = call(server.url(), ModelApi.MESSAGES, PRICES, TOKEN, Duration.ofHours(1));
    var ended = CompletableFuture.supplyAsync(() -> failed(call));
    Awaitility.await().until(() -> !server.requests().isEmpty());

    call.cease();

    assertThat(ended.join().kind()).isEqualTo(Kind.UNCLEAR);
    assertThat(failed(call).kind()).isEqualTo(Kind.UNCLEAR);
    assertThat(server.requests()).hasSize(1);
  }

  private Reply ask(ModelApi api, @Nullable TokenPrices prices)
      throws ModelFailure, InterruptedException {
    return call(server.url(), api, prices, TOKEN).ask("Sort.", "{\"type\":\"object\"}");
  }

  private ModelFailure failed() {
    return failed(call(server.url(), ModelApi.MESSAGES, PRICES, TOKEN));
  }

  private static ModelFailure failed(HttpModelCall call) {
    return catchThrowableOfType(ModelFailure.class, () -> call.ask("Sort.", "{}"));
  }

  private static HttpModelCall call(
      URI url, ModelApi api, @Nullable TokenPrices prices, Map<String, String> environment) {
    return call(url, api, prices, environment, Duration.ofSeconds(2));
  }

  private static HttpModelCall call(
      URI url,
      ModelApi api,
      @Nullable TokenPrices prices,
      Map<String, String> environment,
      Duration limit) {
    return new HttpModelCall(
        new ByMessages(
            api, url, "small", new Credential.Environment("MODEL_TOKEN"), limit, prices, 0),
        environment);
  }
}
