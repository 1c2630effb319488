package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.ConfigurationError;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Asks a console over HTTP. Used by one thread. */
final class RemoteReader extends ConsoleReader {
  /** How long one answer may take, unless given. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Largest answer that is read, in bytes: 10,000 items take about 10 MB. */
  private static final long MOST = 64 << 20;

  private final Duration patience;
  private final URI console;
  private final @Nullable String token;
  private final HttpClient client;

  /** The console's clock at its last answer: the two machines' clocks may differ. */
  private Instant now = Instant.EPOCH;

  /**
   * Asks nothing yet.
   *
   * @param url of the console, for example {@code https://flyball.example}
   * @param token null for none
   * @param patience how long one answer may take, from asking to its last byte
   * @throws ConfigurationError if the URL is not one of a console
   */
  RemoteReader(String url, @Nullable String token, Duration patience) {
    this.patience = patience;
    this.console = root(url);
    this.token = token;
    this.client = HttpClient.newBuilder().connectTimeout(patience).build();
  }

  private static URI root(String url) {
    if (!url.matches("https?://[A-Za-z0-9.:_\\[\\]-]+/?")) {
      throw new ConfigurationError(
          "--console "
              + OneLine.of(url, 200)
              + ": not the address of a console; write for example https://flyball.example:8321");
    }
    return URI.create(url.endsWith("/") ? url : url + "/");
  }

  @Override
  Age age() {
    Instant asOf = summary().asOf();
    return new Age(
        now, asOf, "the console at " + console + " reads nothing from Kafka; check it", false);
  }

  @Override
  public void close() {
    // Closing would wait for an answer that was given up.
    client.shutdownNow();
  }

  @Override
  Optional<String> ask(String question, Map<String, String> query) {
    HttpResponse<String> answer = answer(question, query);
    if (answer.statusCode() == 404) {
      return Optional.empty();
    }
    if (answer.statusCode() != 200) {
      throw failure(why(answer));
    }
    now = clock(answer);
    total = answer.headers().firstValueAsLong("X-Total-Count").orElse(0);
    return Optional.of(answer.body());
  }

  private HttpResponse<String> answer(String question, Map<String, String> query) {
    String fields =
        query.entrySet().stream()
            .map(each ->
                each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    var request =
        HttpRequest.newBuilder(
                console.resolve("api/" + question + (fields.isEmpty() ? "" : "?" + fields)))
            .header("Accept", "application/json");
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      // A request's own timeout ends with the head of the answer, and a body may stall too.
      return client
          .sendAsync(
              request.build(),
              HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofString(), MOST))
          .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      String why =
          cause instanceof TimeoutException
              ? "no whole answer within " + patience.toSeconds() + " s"
              : cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
      throw failure("does not answer (" + OneLine.of(why) + "); check --console and the network");
    }
  }

  private static String why(HttpResponse<String> answer) {
    return switch (answer.statusCode()) {
      case 401 ->
          "accepts no request without a valid token; set FLYBALL_CONSOLE_TOKEN or"
              + " --console-token-file";
      case 403, 422, 429, 503 -> "answers " + answer.statusCode() + ": " + detail(answer.body());
      default -> "answers " + answer.statusCode() + "; check that --console names a console";
    };
  }

  private static String detail(String body) {
    try {
      return OneLine.of(RecordJson.parse(body).path("detail").asText());
    } catch (UnreadableRecord e) {
      return OneLine.of(body, 200);
    }
  }

  private static Instant clock(HttpResponse<String> answer) {
    return answer
        .headers()
        .firstValue("Date")
        .map(date -> DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from))
        .orElseGet(Instant::now);
  }

  @Override
  StartFailure failure(String what) {
    return new StartFailure("the console at " + console + " " + what);
  }
}
