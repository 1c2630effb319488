package dev.flyball.tracker.http;

import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends one request and returns its whole answer, or fails with the reason. */
final class HttpTransport {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

  private final HttpClient client;

  HttpTransport() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_LIMIT);
    EnvironmentProxy.of(System.getenv()).ifPresent(builder::proxy);
    client = builder.build();
  }

  /**
   * Sends a request and waits for the last byte. The client's own limit ends with the headers, and
   * a body of one byte now and then would hold a poll for ever; so the wait is limited here.
   */
  RawResponse send(HttpRequest request, RequestDeadline deadline, FailureLine line) {
    var body = new BoundedBody();
    CompletableFuture<?> answer = client.sendAsync(request, body);
    try {
      return body.whole(answer).get(deadline.leftNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw tooSlow(deadline, body, line);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    } catch (ExecutionException e) {
      throw ConnectionErrors.of(cause(e), body.begun(), line);
    }
  }

  /** The original exception: futures wrap it once or twice. */
  private static Throwable cause(ExecutionException e) {
    Throwable problem = e;
    while (problem.getCause() != null
        && (problem instanceof ExecutionException || problem instanceof CompletionException)) {
      problem = problem.getCause();
    }
    return problem;
  }

  private static SourceFailure tooSlow(
      RequestDeadline deadline, BoundedBody body, FailureLine line) {
    String what = body.begun() ? "did not end its answer within " : "did not answer within ";
    return line.failure(
        Category.UNREACHABLE,
        what + deadline.words() + "; look whether it is overloaded or narrow the query");
  }
}
