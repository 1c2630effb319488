package dev.flyball.triage.classify;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.OneLine;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks a model by one HTTP request. Redirects are not followed: they could carry the token off. */
public final class HttpModelCall implements ModelCall {
  /** Largest answer that is read, in bytes. */
  static final long MOST_BYTES = 4 << 20;

  private static final int LONGEST_REASON = 300;
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private final Settings settings;
  private final Map<String, String> environment;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();

  /**
   * How the endpoint is asked.
   *
   * @param url the endpoint without its path, for example {@code https://api.anthropic.com}
   * @param tokenVariable environment variable of the token; null for an endpoint that needs none
   * @param limit the longest that a call may take
   * @param inputMicros micro-dollars of a million input tokens
   * @param outputMicros micro-dollars of a million output tokens
   */
  public record Settings(
      HttpDialect dialect,
      URI url,
      String model,
      @Nullable String tokenVariable,
      Duration limit,
      long inputMicros,
      long outputMicros) {}

  /** Creates the edge; nothing is sent yet. */
  public HttpModelCall(Settings settings, Map<String, String> environment) {
    this.settings = settings;
    this.environment = Map.copyOf(environment);
  }

  @Override
  public String model() {
    return settings.model();
  }

  @Override
  public Reply ask(String prompt, String schema) throws ModelFailure, InterruptedException {
    HttpResponse<String> response = send(request(prompt, schema));
    if (response.statusCode() != 200) {
      throw failure(response);
    }
    JsonNode answer = parsed(response.body());
    HttpDialect dialect = settings.dialect();
    long input = dialect.inputTokens(answer);
    long output = dialect.outputTokens(answer);
    long cost = (input * settings.inputMicros() + output * settings.outputMicros()) / 1_000_000;
    try {
      return new Reply(dialect.text(answer), cost, input, output);
    } catch (ModelFailure e) {
      throw new ModelFailure(e.kind(), String.valueOf(e.getMessage()), null, cost);
    }
  }

  private HttpRequest request(String prompt, String schema) throws ModelFailure {
    HttpDialect dialect = settings.dialect();
    Map<String, Object> body = dialect.body(settings.model(), prompt, RecordJson.parse(schema));
    var request =
        HttpRequest.newBuilder(URI.create(settings.url() + dialect.path))
            .timeout(settings.limit())
            .header("Content-Type", "application/json")
            .header("anthropic-version", "2023-06-01")
            .POST(BodyPublishers.ofByteArray(RecordJson.bytes(body)));
    String variable = settings.tokenVariable();
    if (variable != null) {
      String token = environment.getOrDefault(variable, "").strip();
      if (token.isEmpty()) {
        throw refused("the environment variable " + variable + " is not set");
      }
      request.header(dialect.tokenHeader, dialect.tokenPrefix + token);
    }
    return request.build();
  }

  /** The request's own limit ends with the headers, and a body may take for ever. */
  private HttpResponse<String> send(HttpRequest request) throws ModelFailure, InterruptedException {
    var sent =
        client.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MOST_BYTES));
    try {
      return sent.get(settings.limit().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw unavailable("no answer from " + settings.url() + " in " + settings.limit(), null);
    } catch (ExecutionException e) {
      throw unavailable(settings.url() + ": " + OneLine.of(e.getCause(), LONGEST_REASON), null);
    } finally {
      sent.cancel(true);
    }
  }

  private ModelFailure failure(HttpResponse<String> response) {
    int status = response.statusCode();
    String reason =
        settings.url() + " answers " + status + ": " + OneLine.of(response.body(), LONGEST_REASON);
    if (status == 413) {
      return new ModelFailure(Kind.BAD_BATCH, reason, null, null);
    }
    return status == 408 || status == 429 || status >= 500
        ? unavailable(reason, pause(response))
        : refused(reason);
  }

  private static @Nullable Duration pause(HttpResponse<?> response) {
    String seconds = response.headers().firstValue("Retry-After").orElse("");
    return seconds.matches("[0-9]{1,6}") ? Duration.ofSeconds(Long.parseLong(seconds)) : null;
  }

  private static JsonNode parsed(String body) throws ModelFailure {
    try {
      return RecordJson.parse(body);
    } catch (RuntimeException e) {
      throw new ModelFailure(Kind.BAD_BATCH, "the endpoint's answer is no JSON", null, null);
    }
  }

  private static ModelFailure refused(String reason) {
    return new ModelFailure(Kind.REFUSED, reason, null, null);
  }

  private static ModelFailure unavailable(String reason, @Nullable Duration pause) {
    return new ModelFailure(Kind.UNAVAILABLE, reason, pause, null);
  }
}
