package dev.flyball.tracker.http;

import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One request to one address, and the text of its failures: which request it was, by host and path,
 * then what is wrong and what helps. A query's values may be confidential, so the query is left
 * out.
 *
 * @param ours headers of every request, the token among them
 * @param more headers of this request
 * @param limit the longest that it may take, its redirects included
 * @param endNanos when that time is over, by the JVM's own ticker
 */
record Exchange(
    String method,
    URI address,
    HttpRequest.BodyPublisher body,
    Map<String, String> ours,
    Map<String, String> more,
    Duration limit,
    long endNanos) {
  /** The program and its version, so that a tracker's administrator knows what sends requests. */
  private static final String USER_AGENT = "flyball/" + version();

  private static final int MAX_PATH = 120;

  /** The same request to another address, within the same time. */
  Exchange to(URI other) {
    return new Exchange(method, other, body, ours, more, limit, endNanos);
  }

  /** The same request with other headers, within the same time. */
  Exchange with(Map<String, String> headers) {
    return new Exchange(method, address, body, headers, more, limit, endNanos);
  }

  boolean reads() {
    return method.equals("GET");
  }

  /**
   * Sends the request and waits for the last byte. The client's own limit ends with the headers,
   * and a body of one byte now and then would hold a poll for ever; so the wait is limited here.
   */
  RawResponse send(HttpClient client) {
    HttpRequest request = request();
    var received = new BoundedBody();
    CompletableFuture<?> answer = client.sendAsync(request, received);
    try {
      long left = Math.max(0, endNanos - System.nanoTime());
      return received.whole(answer).get(left, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      String what = received.begun() ? "did not end its answer within " : "did not answer within ";
      String time = limit.toSeconds() > 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
      throw failure(
          Category.UNREACHABLE,
          what + time + "; look whether it is overloaded or narrow the query");
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    } catch (ExecutionException e) {
      throw ConnectionErrors.of(cause(e), received.begun(), this);
    }
  }

  private HttpRequest request() {
    HttpRequest.Builder request = HttpRequest.newBuilder(address).method(method, body);
    request.setHeader("Accept", "application/json");
    request.setHeader("User-Agent", USER_AGENT);
    try {
      ours.forEach(request::setHeader);
    } catch (IllegalArgumentException e) {
      // The exception quotes the header's value.
      throw failure(
          Category.AUTH, "cannot be asked: the token or user is no header's value; correct it");
    }
    more.forEach(request::setHeader);
    return request.build();
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

  SourceFailure failure(Category category, String what) {
    return failure(category, what, Duration.ZERO, null);
  }

  SourceFailure failure(
      Category category, String what, Duration retryAfter, @Nullable Throwable cause) {
    String line = AsciiLine.of(new Secrets(ours).redacted(where() + " " + what));
    return new SourceFailure(new TrackerFailure(category, line, retryAfter), cause);
  }

  /** Text of the tracker, ready to be quoted in a failure. */
  String quoted(String words) {
    return AsciiLine.of(new Secrets(ours).redacted(words), 200);
  }

  private String where() {
    String path = address.getRawPath() == null ? "" : address.getRawPath();
    String port = address.getPort() < 0 ? "" : ":" + address.getPort();
    return method
        + " "
        + address.getHost()
        + port
        + (path.length() <= MAX_PATH ? path : path.substring(0, MAX_PATH) + "...");
  }

  private static String version() {
    var built = new Properties();
    try (InputStream file =
        Exchange.class.getResourceAsStream("/dev/flyball/tracker/version.properties")) {
      if (file != null) {
        built.load(file);
      }
    } catch (IOException e) {
      // Without a version the name is still right.
    }
    return built.getProperty("version", "unknown");
  }
}
