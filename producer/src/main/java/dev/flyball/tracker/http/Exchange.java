package dev.flyball.tracker.http;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp.Request;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One request to one address, and the text of its failures: which request it was, by host and path,
 * then what is wrong and what helps. A query's values may be confidential, so the query is left
 * out.
 *
 * @param login headers of every request, the token among them
 * @param limit the longest that it may take, its redirects included
 * @param endNanos when that time is over, by the JVM's own ticker
 */
record Exchange(
    Request request, URI address, Map<String, String> login, Duration limit, long endNanos) {
  /** The program and its version, so that a tracker's administrator knows what sends requests. */
  private static final String USER_AGENT = "flyball/" + version();

  private static final int MAX_PATH = 120;

  /** The same request to another address, within the same time. */
  Exchange to(URI other) {
    return new Exchange(request, other, login, limit, endNanos);
  }

  /** The same request with another login, within the same time. */
  Exchange as(Map<String, String> other) {
    return new Exchange(request, address, other, limit, endNanos);
  }

  boolean reads() {
    return request.body() == null;
  }

  boolean expects(int status) {
    return request.expected().contains(status);
  }

  /**
   * Sends the request and reads its answer. The client's own limit ends with the headers, and a
   * body of one byte now and then would hold a poll for ever; so the wait is limited here.
   */
  Received send(HttpClient client) {
    HttpRequest sent = httpRequest();
    var begun = new AtomicBoolean();
    var task =
        new FutureTask<>(() -> {
          HttpResponse<InputStream> answer = client.send(sent, BodyHandlers.ofInputStream());
          begun.set(true);
          return Received.read(answer);
        });
    Thread.ofVirtual().name("tracker-request").start(task);
    try {
      return task.get(Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      String what = begun.get() ? "did not end its answer within " : "did not answer within ";
      String time = limit.toSeconds() > 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
      throw failure(
              Category.UNREACHABLE,
              what + time + "; look whether it is overloaded or narrow the query")
          .askingTooMuch();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    } catch (ExecutionException e) {
      throw unanswered(e.getCause() == null ? e : e.getCause(), begun.get());
    } finally {
      task.cancel(true);
    }
  }

  private HttpRequest httpRequest() {
    HttpRequest.Builder http = HttpRequest.newBuilder(address);
    http.setHeader("Accept", "application/json");
    http.setHeader("User-Agent", USER_AGENT);
    if (request.body() == null) {
      http.GET();
    } else {
      http.method(request.method(), BodyPublishers.ofByteArray(RecordJson.bytes(request.body())));
      http.setHeader("Content-Type", "application/json");
    }
    try {
      login.forEach(http::setHeader);
    } catch (IllegalArgumentException e) {
      // The exception quotes the header's value.
      throw failure(
          Category.AUTH, "cannot be asked: the token or user is no header's value; correct it");
    }
    request.headers().forEach(http::setHeader);
    return http.build();
  }

  SourceFailure unanswered(Throwable problem, boolean begun) {
    if (problem instanceof Error error) {
      throw error;
    }
    if (!(problem instanceof IOException) || caused(problem, ProtocolException.class)) {
      // The exception quotes an answer that is not HTTP, which may echo what we sent.
      return failure(Category.MALFORMED, "does not speak HTTP; check the url's scheme and port");
    }
    return failure(Category.UNREACHABLE, broken(problem, begun), Duration.ZERO, problem);
  }

  private static String broken(Throwable problem, boolean begun) {
    if (caused(problem, SSLException.class)) {
      Throwable cause = chain(problem).getLast();
      return "has no TLS that is accepted here ("
          + AsciiLine.of(cause.getClass().getSimpleName() + ": " + cause.getMessage(), 160)
          + "); check the url's scheme and name, the certificate and this machine's clock, or add"
          + " its authority's certificate with"
          + " FLYBALL_JAVA_OPTS=-Djavax.net.ssl.trustStore=FILE";
    }
    if (caused(problem, UnresolvedAddressException.class)
        || caused(problem, UnknownHostException.class)) {
      return "cannot be reached: its name is not known; check the url and the name service";
    }
    if (problem instanceof HttpConnectTimeoutException) {
      return "cannot be reached: no connection within 10 s; check the url, firewall and proxy";
    }
    if (problem instanceof ConnectException) {
      return "cannot be reached: no server listens there; check the url and whether it is up";
    }
    return begun
        ? "broke off its answer; it is asked again later, no action needed"
        : "closed the connection without an answer; check the url's scheme and port if it stays so";
  }

  private static boolean caused(Throwable problem, Class<? extends Throwable> type) {
    return chain(problem).stream().anyMatch(type::isInstance);
  }

  private static List<Throwable> chain(Throwable problem) {
    return Stream.iterate(problem, Objects::nonNull, Throwable::getCause).limit(20).toList();
  }

  SourceFailure failure(Category category, String what) {
    return failure(category, what, Duration.ZERO, null);
  }

  SourceFailure failure(
      Category category, String what, Duration retryAfter, @Nullable Throwable cause) {
    String line = AsciiLine.of(new Secrets(login).redacted(where() + " " + what));
    return new SourceFailure(new TrackerFailure(category, line, retryAfter), cause);
  }

  /** Text of the tracker, ready to be quoted in a failure. */
  String quoted(String words) {
    return AsciiLine.of(new Secrets(login).redacted(words), 200);
  }

  private String where() {
    String path = address.getRawPath() == null ? "" : address.getRawPath();
    String port = address.getPort() < 0 ? "" : ":" + address.getPort();
    return request.method()
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
