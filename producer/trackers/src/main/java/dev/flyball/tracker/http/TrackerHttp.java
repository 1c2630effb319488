package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Sends requests to one tracker, one at a time. Every unexpected answer is a {@link SourceFailure}
 * with a category and a line that says what to do. The caller makes the headers with secrets again
 * for each request. They are sent only to the tracker's own origin: a redirect or a link that leads
 * elsewhere is a failure, and nothing is sent there.
 */
public final class TrackerHttp {
  /**
   * From a request's start to its body's end, unless {@link RequestPermission#limit} is shorter.
   */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  /** Redirects within the tracker that a GET request follows. */
  static final int MOST_REDIRECTS = 3;

  private final TrackerLimits limits;
  private final Origin origin;
  private final Supplier<Map<String, String>> headers;
  private final HttpTransport wire;
  private final InstantSource clock;

  /** Held while a request is open: a tracker never gets two requests at the same time. */
  private final ReentrantLock asking = new ReentrantLock();

  private final AtomicInteger requests = new AtomicInteger();

  /**
   * Opens nothing yet.
   *
   * @param base the tracker's root; paths are appended to it
   * @param headers those of every request, the token among them; may throw {@link SourceFailure}
   * @param clock the time from which dates of Retry-After count
   */
  public TrackerHttp(URI base, Supplier<Map<String, String>> headers, InstantSource clock) {
    this(base, headers, clock, new TrackerLimits());
  }

  /**
   * Opens nothing yet.
   *
   * @param limits shared with other sources
   */
  public TrackerHttp(
      URI base, Supplier<Map<String, String>> headers, InstantSource clock, TrackerLimits limits) {
    this.limits = limits;
    this.origin = new Origin(base);
    this.headers = headers;
    this.clock = clock;
    this.wire = new HttpTransport();
  }

  /** Requests sent so far. */
  public int requests() {
    return requests.get();
  }

  /** The headers that requests carry now; another token gives other headers. */
  Map<String, String> login() {
    return Map.copyOf(headers.get());
  }

  /** Text of an expected answer without the secrets that were sent: some servers echo them. */
  public String redacted(String words) {
    return new Secrets(headers.get()).redacted(words);
  }

  /**
   * Sends a GET request.
   *
   * @param path with its query, encoded, beginning with a slash; or a whole address of the tracker
   *     itself, as in links to a next page
   * @param more headers of this request
   * @param expected further statuses that are returned as an answer and not thrown as a failure
   * @throws SourceFailure if there is no such answer
   * @throws RequestPermission.PermissionLost if the permission to ask has ended
   */
  public TrackerResponse get(
      String path, Map<String, String> more, Set<Integer> expected, RequestPermission permission) {
    return ask("GET", path, more, HttpRequest.BodyPublishers.noBody(), expected, permission);
  }

  /** Sends JSON; otherwise the same as {@link #get}. */
  public TrackerResponse send(
      String method,
      String path,
      JsonNode body,
      Set<Integer> expected,
      RequestPermission permission) {
    return ask(
        method,
        path,
        Map.of("Content-Type", "application/json"),
        HttpRequest.BodyPublishers.ofByteArray(RecordJson.bytes(body)),
        expected,
        permission);
  }

  private TrackerResponse ask(
      String method,
      String path,
      Map<String, String> more,
      HttpRequest.BodyPublisher body,
      Set<Integer> expected,
      RequestPermission permission) {
    asking.lock();
    try {
      URI address = origin.address(path);
      Map<String, String> ours = headers.get();
      try (var permit = limits.permit(origin.base(), ours, this)) {
        try {
          TrackerResponse answer =
              asked(new Request(method, address, ours, more, body), expected, permission);
          permit.pause(answer.retryAfter());
          return answer;
        } catch (SourceFailure e) {
          permit.pause(e.failure().retryAfter());
          throw e;
        }
      }
    } finally {
      asking.unlock();
    }
  }

  /** What is sent. */
  private record Request(
      String method,
      URI address,
      Map<String, String> ours,
      Map<String, String> more,
      HttpRequest.BodyPublisher body) {}

  private TrackerResponse asked(
      Request asked, Set<Integer> expected, RequestPermission permission) {
    var secrets = new Secrets(asked.ours());
    RequestDeadline deadline =
        RequestDeadline.in(permission.limit().compareTo(LIMIT) < 0 ? permission.limit() : LIMIT);
    URI address = asked.address();
    for (int redirects = 0; ; redirects++) {
      var line = new FailureLine(asked.method(), address, secrets);
      HttpRequest.Builder request =
          request(asked.method(), asked.body(), asked.ours(), asked.more(), line);
      permission.check();
      requests.incrementAndGet();
      RawResponse received = wire.send(request.uri(address).build(), deadline, line);
      if (!received.isRedirect() || expected.contains(received.status())) {
        return new ResponseClassifier(received, line, clock.instant()).answer(expected);
      }
      address = origin.redirect(received, line, asked.method().equals("GET"));
      if (redirects == MOST_REDIRECTS) {
        throw line.failure(Category.NOT_FOUND, "sends us on again and again; correct the url");
      }
    }
  }

  private static HttpRequest.Builder request(
      String method,
      HttpRequest.BodyPublisher body,
      Map<String, String> ours,
      Map<String, String> more,
      FailureLine line) {
    HttpRequest.Builder request = HttpRequest.newBuilder().method(method, body);
    request.setHeader("Accept", "application/json");
    request.setHeader("User-Agent", ProgramName.NAME_AND_VERSION);
    try {
      ours.forEach(request::setHeader);
    } catch (IllegalArgumentException e) {
      // The exception quotes the header's value.
      throw line.failure(
          Category.AUTH, "cannot be asked: the token or user is no header's value; correct it");
    }
    more.forEach(request::setHeader);
    return request;
  }
}
