package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.http.EnvironmentProxy;
import dev.flyball.tracker.http.RateHeaders;
import dev.flyball.tracker.http.Tokens;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Posts each analysis to one address. The receiver recognizes a repeat by its {@code webhook-id},
 * which is also its {@code Idempotency-Key}. The body of its answer is not read: only status and
 * headers count.
 */
final class WebhookDelivery implements Delivery {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** May be the item's fault; a receiver that is being redeployed answers with them too. */
  private static final Set<Integer> REJECTED = Set.of(400, 404, 405, 410, 413, 415, 422);

  private final Duration limit;
  private final URI url;
  private final Credential token;
  private final Credential secret;
  private final InstantSource clock;
  private final HttpClient client;

  WebhookDelivery(WriteBack.Webhook webhook, InstantSource clock) {
    this(webhook, clock, LIMIT, System.getenv());
  }

  /** With another limit for a whole call, and another environment. */
  WebhookDelivery(
      WriteBack.Webhook webhook,
      InstantSource clock,
      Duration limit,
      Map<String, String> environment) {
    this.limit = limit;
    this.url = webhook.url();
    this.token = webhook.token();
    this.secret = webhook.secret();
    this.clock = clock;
    this.client = EnvironmentProxy.client(environment);
  }

  @Override
  public String deliver(ItemKey item, Analysis analysis, RequestPermission permission) {
    byte[] body = RecordJson.bytes(new Payload(item, analysis));
    var request =
        HttpRequest.newBuilder(url)
            .timeout(limit)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", analysis.session())
            .POST(BodyPublishers.ofByteArray(body));
    signed(analysis.session(), body).forEach(request::header);
    Tokens.read(token).ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    permission.check();
    HttpResponse<Void> answer = send(request.build());
    if (answer.statusCode() / 100 != 2) {
      throw failure(answer);
    }
    return "posted";
  }

  /** The headers with a signature where a secret is configured. */
  private Map<String, String> signed(String id, byte[] body) {
    Optional<String> key = Tokens.read(secret);
    try {
      return WebhookSignature.headers(key, id, clock.instant(), body);
    } catch (IllegalArgumentException e) {
      throw new SourceFailure(Category.AUTH, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public Blame blame(TrackerFailure failure, RequestPermission permission) {
    return failure.category() == Category.NOT_FOUND ? Blame.ITEM : Blame.PLACE;
  }

  /** Sends a request. Its limit ends with the answer's headers; a body may take for ever. */
  private HttpResponse<Void> send(HttpRequest request) {
    var answer = client.sendAsync(request, BodyHandlers.discarding());
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      answer.cancel(true);
      throw new SourceFailure(
          TrackerFailure.of(
              Category.UNREACHABLE,
              "webhook of "
                  + url.getHost()
                  + " does not answer; check webhook-url, HTTPS_PROXY and whether the receiver"
                  + " runs"),
          e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    }
  }

  private SourceFailure failure(HttpResponse<Void> answer) {
    int status = answer.statusCode();
    Duration pause = new RateHeaders(answer.headers(), clock.instant()).pause();
    return new SourceFailure(
        new TrackerFailure(
            category(status, pause),
            "webhook of " + url.getHost() + " answered " + status + "; " + fix(status),
            pause),
        null);
  }

  private static Category category(int status, Duration pause) {
    if (REJECTED.contains(status)) {
      return Category.NOT_FOUND;
    }
    if (status == 401 || status == 403) {
      return Category.AUTH;
    }
    boolean limited = status == 429 || (status == 503 && pause.isPositive());
    return limited ? Category.RATE_LIMITED : Category.UNREACHABLE;
  }

  /** What helps. A redirect's address is not shown: a webhook's is often secret. */
  private static String fix(int status) {
    return switch (status) {
      case 301, 302, 303, 307, 308 -> "set webhook-url to the address that it redirects to";
      case 401, 403 ->
          "check the values behind webhook-token-env or -file and webhook-secret-env or -file";
      case 404, 410 -> "check whether webhook-url has changed";
      case 429, 503 -> "it is tried again when it accepts requests; no action needed";
      default -> "look into the receiver's log";
    };
  }

  private record Payload(ItemKey item, Analysis analysis) {}
}
