package dev.flyball.ops.console.notify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Posts messages as JSON, with the headers of Standard Webhooks, within a limit of time. No
 * redirect is followed, because it could lead the message elsewhere, and the body of an answer is
 * not read.
 */
record MessageSender(HttpClient client, MessageText text) {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  /** Statuses besides 5xx after which the same message can be accepted later. */
  private static final Set<Integer> LATER = Set.of(408, 425, 429);

  /**
   * Why a message was not accepted.
   *
   * @param reason one line with the fix and without any secret
   * @param permanent whether the same message would fail again
   */
  record Failure(String reason, boolean permanent) {}

  /** Sends one message to one target; returns why it was not accepted, if it was not. */
  Optional<Failure> send(NotifyTarget target, Notification message, Instant now)
      throws InterruptedException {
    HttpRequest request;
    try {
      request = request(target, message, now);
    } catch (RuntimeException e) {
      // The address or the secret cannot be read, or is wrong where it is stored.
      return Optional.of(new Failure(String.valueOf(e.getMessage()), false));
    }
    String host = request.uri().getHost();
    // The request's own limit ends with the answer's head, and a body may never end.
    var answer = client.sendAsync(request, BodyHandlers.discarding());
    try {
      int status = answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS).statusCode();
      return status / 100 == 2
          ? Optional.empty()
          : Optional.of(
              new Failure(
                  host + " answered " + status + "; " + fix(status),
                  status / 100 != 5 && !LATER.contains(status)));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.of(
          new Failure(
              host
                  + " does not answer; check the address, HTTPS_PROXY and whether the receiver"
                  + " runs",
              false));
    } finally {
      answer.cancel(true);
    }
  }

  private HttpRequest request(NotifyTarget target, Notification message, Instant now) {
    byte[] body =
        RecordJson.bytes(
            switch (target.type()) {
              case SLACK -> text.slack(message);
              case TEAMS -> text.teams(message);
              case WEBHOOK -> text.webhook(message);
            });
    var request =
        HttpRequest.newBuilder(target.url().get().uri())
            .timeout(LIMIT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body));
    WebhookSignature.headers(target.secret().get(), message.id(), now, body)
        .forEach(request::header);
    return request.build();
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
