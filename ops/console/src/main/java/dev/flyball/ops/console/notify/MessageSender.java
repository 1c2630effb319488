package dev.flyball.ops.console.notify;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends one message to one target, within a limit of time. One thread. */
interface MessageSender {
  /**
   * Sends a message.
   *
   * @throws Failure if it was not accepted
   * @throws InterruptedException if the thread was interrupted meanwhile
   */
  void send(Notification notification) throws Failure, InterruptedException;

  /** A message that was not accepted; its text is one line with the fix and without any secret. */
  final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean permanent;
    private final transient Duration pause;

    /**
     * A failure.
     *
     * @param permanent whether the same message would fail again
     * @param pause the wait that the target named; zero for none
     */
    Failure(String reason, boolean permanent, Duration pause, @Nullable Throwable cause) {
      super(reason, cause);
      this.permanent = permanent;
      this.pause = pause;
    }

    boolean permanent() {
      return permanent;
    }

    Duration pause() {
      return pause;
    }
  }

  /**
   * Posts messages as JSON, with the headers of Standard Webhooks. No redirect is followed, because
   * it could lead the message elsewhere, and the body of an answer is not read.
   */
  record Http(NotifyTarget target, MessageText text, HttpClient client, InstantSource clock)
      implements MessageSender {
    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(30);

    /** Statuses besides 5xx after which the same message can be accepted later. */
    private static final Set<Integer> LATER = Set.of(408, 425, 429);

    @Override
    public void send(Notification message) throws Failure, InterruptedException {
      HookAddress to = configured(target.url());
      if (!to.isSafe() && !target.insecure()) {
        throw new Failure(
            "http to another machine can be read on its way; use https or set insecure: true",
            true,
            Duration.ZERO,
            null);
      }
      byte[] body =
          RecordJson.bytes(
              switch (target.type()) {
                case SLACK -> text.slack(message);
                case TEAMS -> text.teams(message);
                case WEBHOOK -> text.webhook(message);
              });
      URI uri = to.uri();
      var request =
          HttpRequest.newBuilder(uri)
              .timeout(LIMIT)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(body));
      configured(() ->
              WebhookSignature.headers(target.secret().get(), message.id(), clock.instant(), body))
          .forEach(request::header);
      HttpResponse<Void> answer = answer(request.build(), uri.getHost());
      int status = answer.statusCode();
      if (status / 100 != 2) {
        throw new Failure(
            uri.getHost() + " answered " + status + "; " + fix(status),
            status / 100 != 5 && !LATER.contains(status),
            pause(answer),
            null);
      }
    }

    private HttpResponse<Void> answer(HttpRequest request, String host)
        throws Failure, InterruptedException {
      // The request's own limit ends with the answer's head, and a body may never end.
      var answer = client.sendAsync(request, BodyHandlers.discarding());
      try {
        return answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        answer.cancel(true);
        throw new Failure(
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
    private static <T> T configured(Supplier<T> value) throws Failure {
      try {
        return value.get();
      } catch (RuntimeException e) {
        throw new Failure(String.valueOf(e.getMessage()), false, Duration.ZERO, e);
      }
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
}
