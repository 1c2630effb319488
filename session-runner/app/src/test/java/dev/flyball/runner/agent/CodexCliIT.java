package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import dev.flyball.runner.agent.ClaudeCli.Place;
import dev.flyball.testkit.ResponsesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
@DisplayName("The real codex, contained, against a provider of ours")
class CodexCliIT {
  private static final Map<String, String> KEY = Map.of("CODEX_API_KEY", "no-key-at-all");

  @TempDir Path folder;
  private Place place;

  @BeforeEach
  void prepare() throws IOException {
    Files.createDirectory(folder.resolve("codex"));
    place = Place.in(folder);
  }

  @Test
  void anAnswerIsRead() {
    try (var api = ResponsesApi.answering("The search is slow.");
        var session = run(api.url(), KEY)) {
      assertThat(session.answer())
          .isInstanceOfSatisfying(
              AgentAnswer.Complete.class,
              answer -> assertThat(answer.text()).isEqualTo("The search is slow."));
    }
  }

  @ParameterizedTest(name = "{0}: {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          401 | {"error":{"message":"no"}} | runner agent-login
          403 | {"error":{"message":"no"}} | runner agent-login
          404 | {"error":{"message":"The model 'gpt-x' does not exist"}} | runner agent-model
          500 | {"error":{"message":"no"}} | provider provider-outage
          429 | {"error":{"message":"no"}} | provider provider-limit
          """)
  @DisplayName("a fault that is not the item's is named, and costs nothing")
  void aFaultIsChargedToWhomItBelongs(int status, String body, String failure) {
    try (var api = ResponsesApi.rejecting(status, body);
        var session = run(api.url(), KEY)) {
      assertThat(ClaudeCli.failure(session.answer())).isEqualTo(failure);
      assertThat(session.reported()).isEqualTo(Agent.Reported.ALL);
    }
  }

  @Test
  void aMissingKeyIsAMissingLogin() {
    try (var api = ResponsesApi.answering("never asked");
        var session = run(api.url(), Map.of())) {
      assertThat(ClaudeCli.failure(session.answer())).isEqualTo("runner agent-login");
      assertThat(api.requests()).isEmpty();
    }
  }

  @Test
  @DisplayName("a plan's limit names its end to the minute")
  void aUsageLimitNamesItsEnd() {
    long end = Instant.now().plus(Duration.ofDays(3)).getEpochSecond();
    String body =
        "{\"error\":{\"type\":\"usage_limit_reached\",\"plan_type\":\"plus\",\"resets_at\":"
            + end
            + "}}";
    try (var api = ResponsesApi.rejecting(429, body);
        var session = run(api.url(), KEY)) {
      AgentAnswer answer = session.answer();
      assertThat(ClaudeCli.failure(answer)).isEqualTo("provider provider-limit");
      assertThat(((AgentAnswer.Broken) answer).fault().until(Instant.now()))
          .isBetween(end - 60, end + 60);
    }
  }

  @Test
  @DisplayName(
      "without a connection it waits for ever, which is the network's fault when it is ended")
  void aRefusedConnectionIsNoSilence() {
    try (var session = run("http://127.0.0.1:1/v1", KEY)) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> ClaudeCli.failure(session.afterSilence()).equals("runner agent-network"));

      assertThat(session.said(Waiting.class)).isNotEmpty();
      assertThat(session.reported()).isEqualTo(Agent.Reported.ALL);
    }
  }

  private ClaudeCli run(String url, Map<String, String> login) {
    String provider =
        "model_providers.own={name=\"own\",base_url=\""
            + url
            + "\",wire_api=\"responses\",env_key=\"CODEX_API_KEY\","
            + "request_max_retries=1,stream_max_retries=1}";
    Agent codex =
        new Codex("gpt-x")
            .session(Setup.DEFAULT)
            .withArguments(List.of("-c", "model_provider=own", "-c", provider));
    var environment = new HashMap<>(login);
    environment.put("CODEX_HOME", folder.resolve("codex").toString());
    return place.start(codex, environment);
  }
}
