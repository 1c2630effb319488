package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Tokens;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Posts each analysis to one address. The receiver recognises a repeat by its {@code
 * Idempotency-Key}. The body of its answer is not read: only the status counts.
 */
public final class WebhookDelivery implements Delivery {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Statuses by which the receiver says that it will never accept this request. */
  private static final Set<Integer> NEVER = Set.of(400, 404, 410, 413, 422);

  private final Duration limit;
  private final URI url;
  private final Credential token;
  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(10))
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  /** Posts to this address, with this bearer token. */
  public WebhookDelivery(URI url, Credential token) {
    this(url, token, LIMIT);
  }

  /** With another limit for a whole call. */
  WebhookDelivery(URI url, Credential token, Duration limit) {
    this.limit = limit;
    this.url = url;
    this.token = token;
  }

  @Override
  public String deliver(ItemKey item, Analysis analysis, RequestPermission permission) {
    var request =
        HttpRequest.newBuilder(url)
            .timeout(limit)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", analysis.session())
            .POST(BodyPublishers.ofByteArray(RecordJson.bytes(new Told(item, analysis))));
    Tokens.read(token).ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
    permission.check();
    int status = send(request.build());
    if (status / 100 != 2) {
      throw new SourceFailure(
          category(status), "webhook of " + url.getHost() + " answered " + status);
    }
    return "posted";
  }

  @Override
  public boolean hopeless(TrackerFailure failure, int tries, RequestPermission permission) {
    return failure.category() == Category.NOT_FOUND;
  }

  /**
   * Sends a request and returns the status. The request's own limit ends with the answer's headers,
   * and a body may take for ever.
   */
  private int send(HttpRequest request) {
    var answer = client.sendAsync(request, BodyHandlers.discarding());
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS).statusCode();
    } catch (ExecutionException | TimeoutException e) {
      answer.cancel(true);
      throw new SourceFailure(
          TrackerFailure.of(
              Category.UNREACHABLE,
              "webhook of " + url.getHost() + " does not answer; is its address right?"),
          e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    }
  }

  private static Category category(int status) {
    if (NEVER.contains(status)) {
      return Category.NOT_FOUND;
    }
    return switch (status) {
      case 401, 403 -> Category.AUTH;
      case 429 -> Category.RATE_LIMITED;
      default -> Category.UNREACHABLE;
    };
  }

  /** The JSON that is posted. */
  private record Told(ItemKey item, Analysis analysis) {}
}
