package dev.flyball.program.classifier;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfiguredClassifier.ByMessages;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.events.Redactor;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.EnvironmentProxy;
import dev.flyball.tracker.http.RateHeaders;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Asks a model by one HTTP request. Redirects are not followed: they could carry the token to
 * another host. One thread asks.
 */
public final class HttpModelCall implements OwnedCall {
  /** Largest answer that is read, in bytes. */
  static final int MOST_BYTES = 4 << 20;

  private static final int LONGEST_REASON = 300;

  /** How much of an error is searched for secrets before it is cut. */
  private static final int MOST_QUOTED = 4096;

  /** How providers say with status 429 that one request is larger than a limit of tokens. */
  private static final Pattern TOO_LONG =
      Pattern.compile("request too large|too many tokens in", Pattern.CASE_INSENSITIVE);

  private final ByMessages settings;
  private final Map<String, String> environment;
  private final HttpClient client;

  /** An answer as it was received; of a larger one the first byte beyond the limit is its last. */
  private record Received(int status, HttpHeaders headers, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /** Creates the edge; nothing is sent yet. */
  public HttpModelCall(ByMessages settings, Map<String, String> environment) {
    this.settings = settings;
    this.environment = Map.copyOf(environment);
    this.client = EnvironmentProxy.client(this.environment);
  }

  @Override
  public void open() {
    try {
      var _ = token();
    } catch (ModelFailure e) {
      throw new StartFailure("triage: " + e.getMessage(), e);
    }
  }

  @Override
  public void cease() {
    client.shutdownNow();
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  @Override
  public String model() {
    return settings.model();
  }

  @Override
  public Reply ask(String prompt, String schema) throws ModelFailure, InterruptedException {
    String token = token();
    var redactor = new Redactor(List.of(token));
    Received received =
        send(
            settings.api().request(settings.url(), token, settings.model(), prompt, schema),
            redactor);
    if (received.body().length > MOST_BYTES) {
      String what = " answers with more than " + (MOST_BYTES >> 20) + " MiB";
      throw failure(Kind.BAD_BATCH, settings.url() + what, null);
    }
    if (received.status() != 200) {
      throw declined(received, redactor);
    }
    JsonNode answer = parsed(received.text());
    JsonNode usage = answer.path("usage");
    Usage used = settings.api().used(usage);
    TokenPrices prices = settings.prices();
    Long cost = usage.isObject() && prices != null ? prices.applied(used).costMicros() : null;
    Optional<String> text = settings.api().text(answer);
    if (text.isEmpty()) {
      String what = line(redactor, "the model gave no verdicts: " + settings.api().end(answer));
      throw new ModelFailure(Kind.BAD_BATCH, what, null, cost, used.tokens());
    }
    return new Reply(
        redactor.redact(text.get()),
        cost,
        used.inputTokens() + used.cachedTokens(),
        used.outputTokens());
  }

  /** The token, empty if none is configured. */
  private String token() throws ModelFailure {
    try {
      return Tokens.read(settings.token(), environment).orElse("");
    } catch (SourceFailure e) {
      throw failure(Kind.REFUSED, e.failure().reason(), 0L);
    }
  }

  /** The client's own limit ends with the headers, and a body may take for ever. */
  private Received send(HttpRequest request, Redactor redactor)
      throws ModelFailure, InterruptedException {
    var sent = new FutureTask<>(() -> received(request));
    Thread.ofVirtual().name("flyball-model-call").start(sent);
    try {
      return sent.get(settings.limit().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      String what = " within " + settings.limit().toSeconds() + " s";
      throw failure(Kind.SLOW, "no answer from " + settings.url() + what, null);
    } catch (ExecutionException e) {
      boolean none =
          e.getCause() instanceof ConnectException
              || e.getCause() instanceof HttpConnectTimeoutException;
      boolean unsent = none || e.getCause() instanceof SSLHandshakeException;
      String what = none ? "no server answers there" : String.valueOf(e.getCause());
      throw failure(
          unsent ? Kind.UNAVAILABLE : Kind.UNCLEAR,
          line(redactor, settings.url() + " cannot be asked: " + what)
              + "; check triage.url, whether it is up, and the proxy",
          unsent ? 0L : null);
    } finally {
      sent.cancel(true);
    }
  }

  private Received received(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      byte[] read = body.readNBytes(MOST_BYTES + 1);
      return new Received(response.statusCode(), response.headers(), read);
    }
  }

  private ModelFailure declined(Received received, Redactor redactor) {
    int status = received.status();
    String text = received.text();
    String fix =
        status / 100 == 3
            ? "; set triage.url to the address that answers"
            : status == 401 || status == 403 ? "; check the token of triage" : "";
    String what =
        settings.url()
            + " answers "
            + status
            + (text.isBlank() ? "" : ": " + OneLine.start(text, MOST_QUOTED));
    // Providers charge nothing for a request that they reject, or have no room for.
    Long cost = status < 500 || status == 503 || status == 529 ? 0L : null;
    Duration asked = new RateHeaders(received.headers(), Instant.now()).pause();
    return new ModelFailure(
        kind(status, text), line(redactor, what) + fix, asked.isZero() ? null : asked, cost);
  }

  /**
   * Statuses of which the request may be the cause are a batch's fault: {@link
   * dev.flyball.triage.classify.ModelCall} says what follows if it is the settings' after all.
   */
  private static Kind kind(int status, String text) {
    return switch (status) {
      case 400, 413, 414, 422, 431 -> Kind.BAD_BATCH;
      case 408, 504, 524 -> Kind.SLOW;
      // A limit of tokens that a single request exceeds never passes.
      case 429 -> TOO_LONG.matcher(text).find() ? Kind.BAD_BATCH : Kind.UNAVAILABLE;
      case 503, 529 -> Kind.UNAVAILABLE;
      // Also a firewall that rejects what an item quotes.
      case 403 -> Kind.UNCLEAR;
      default -> status >= 500 ? Kind.UNCLEAR : Kind.REFUSED;
    };
  }

  private JsonNode parsed(String body) throws ModelFailure {
    try {
      return RecordJson.parse(body);
    } catch (RuntimeException e) {
      throw failure(Kind.BAD_BATCH, settings.url() + " answers something that is no JSON", null);
    }
  }

  private static ModelFailure failure(Kind kind, String reason, @Nullable Long cost) {
    return new ModelFailure(kind, reason, null, cost);
  }

  private static String line(Redactor redactor, String reason) {
    return OneLine.of(redactor.redact(reason), LONGEST_REASON);
  }
}
