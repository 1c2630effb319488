package dev.flyball.ops.console.notify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.rule.Notification;
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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Posts messages as JSON. No redirect is followed, because it could lead the message elsewhere, and
 * the body of an answer is not read.
 */
final class HttpSender {
  private static final Duration LIMIT = Duration.ofSeconds(15);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(30);

  /** Statuses besides 5xx after which the same message can be accepted later. */
  private static final Set<Integer> LATER = Set.of(408, 425, 429);

  private final NotifyTarget target;
  private final Supplier<HookAddress> address;
  private final HttpClient client;
  private final InstantSource clock;

  HttpSender(
      NotifyTarget target, Supplier<HookAddress> address, HttpClient client, InstantSource clock) {
    this.target = target;
    this.address = address;
    this.client = client;
    this.clock = clock;
  }

  /** Sends bodies without a signature. */
  MessageSender of(Function<Notification, ?> format) {
    return message -> post(RecordJson.bytes(format.apply(message)), Map.of());
  }

  /** Sends bodies with the headers of Standard Webhooks. */
  MessageSender signed(Function<Notification, ?> format, Supplier<Optional<String>> secret) {
    return message -> {
      byte[] body = RecordJson.bytes(format.apply(message));
      post(
          body,
          configured(
              () -> WebhookSignature.headers(secret.get(), message.id(), clock.instant(), body)));
    };
  }

  private void post(byte[] body, Map<String, String> headers)
      throws SendFailure, InterruptedException {
    HookAddress to = configured(address);
    if (!to.isSafe() && !target.insecure()) {
      throw failure(
          "http to another machine can be read on its way; use https or set insecure: true",
          true,
          Duration.ZERO,
          null);
    }
    URI uri = to.uri();
    var request =
        HttpRequest.newBuilder(uri)
            .timeout(LIMIT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    HttpResponse<Void> answer = answer(request.build(), uri.getHost());
    int status = answer.statusCode();
    if (status / 100 != 2) {
      boolean permanent = status / 100 != 5 && !LATER.contains(status);
      throw failure(
          uri.getHost() + " answered " + status + "; " + fix(status),
          permanent,
          pause(answer),
          null);
    }
  }

  private HttpResponse<Void> answer(HttpRequest request, String host)
      throws SendFailure, InterruptedException {
    // The request's own limit ends with the answer's head, and a body may never end.
    var answer = client.sendAsync(request, BodyHandlers.discarding());
    try {
      return answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      answer.cancel(true);
      throw failure(
          host + " does not answer; check the address, HTTPS_PROXY and whether the receiver runs",
          false,
          Duration.ZERO,
          e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw e;
    }
  }

  /** A value that is read from where a secret is stored. */
  private static <T> T configured(Supplier<T> value) throws SendFailure {
    try {
      return value.get();
    } catch (RuntimeException e) {
      throw failure(String.valueOf(e.getMessage()), false, Duration.ZERO, e);
    }
  }

  private static SendFailure failure(
      String reason, boolean permanent, Duration pause, @Nullable Throwable cause) {
    return new SendFailure(reason, permanent, pause, cause);
  }

  private static Duration pause(HttpResponse<Void> answer) {
    Duration asked =
        answer
            .headers()
            .firstValue("Retry-After")
            .filter(value -> value.matches("[0-9]{1,6}"))
            .map(value -> Duration.ofSeconds(Long.parseLong(value)))
            .orElse(Duration.ZERO);
    return asked.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : asked;
  }

  private static String fix(int status) {
    return switch (status) {
      case 301, 302, 303, 307, 308 -> "set url to the address that it redirects to";
      case 401, 403 -> "check the secret, and whether the webhook is still allowed";
      case 404, 410 -> "make a new webhook and set url to its address";
      case 429, 503 -> "it is tried again when it accepts requests; no action needed";
      default -> "look into the receiver's log";
    };
  }
}
