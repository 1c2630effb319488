package dev.flyball.tracker.http;

import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to one tracker, one at a time. Every unexpected answer is a {@link SourceFailure}
 * with a category and a line that says what to do. The caller makes the headers with secrets again
 * for each request. They are sent only to the tracker's own origin: a redirect or a link that leads
 * elsewhere is a failure, and nothing is sent there.
 */
public final class TrackerHttp {
  /** From a request's start to its body's end; {@link RequestPermission#limit} may be shorter. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  /** Redirects within the tracker that a GET request follows. */
  static final int MOST_REDIRECTS = 3;

  private static final Pattern SIGN_IN = Pattern.compile("(?i)sign_?-?in|log_?-?in|oauth|saml");

  private final TrackerLimits limits;
  private final URI base;
  private final Supplier<Map<String, String>> headers;
  private final HttpClient client;
  private final InstantSource clock;

  private final AtomicInteger requests = new AtomicInteger();

  /**
   * Opens nothing yet.
   *
   * @param base the tracker's root; paths are appended to it
   * @param headers those of every request, the token among them; may throw {@link SourceFailure}
   * @param clock the time from which dates of Retry-After count
   * @param limits shared with other sources
   */
  public TrackerHttp(
      URI base, Supplier<Map<String, String>> headers, InstantSource clock, TrackerLimits limits) {
    this.limits = limits;
    this.base = base;
    this.headers = headers;
    this.clock = clock;
    this.client = EnvironmentProxy.client(System.getenv());
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
   * What a tracker is asked.
   *
   * @param path with its query, encoded, beginning with a slash; or a whole address of the tracker
   *     itself, as in links to a next page
   * @param headers those of this request, which may make it conditional: 304 is an answer, too
   * @param body a tree or a record that is sent as JSON, without components that are null; null for
   *     a request that only reads
   * @param expected further statuses that are returned as an answer and not thrown as a failure
   * @param waits whether it waits for each pause that an answer asked for, and fails where that is
   *     too long; a poll decides itself where it stops
   */
  public record Request(
      String method,
      String path,
      Map<String, String> headers,
      @Nullable Object body,
      Set<Integer> expected,
      boolean waits) {}

  /** Sends a GET request of a poll. */
  public TrackerResponse get(String path, RequestPermission permission) {
    return ask(new Request("GET", path, Map.of(), null, Set.of(), false), permission);
  }

  /** Sends a GET request beside a poll: it waits for pauses. */
  public TrackerResponse getBesidePoll(String path, RequestPermission permission) {
    return ask(new Request("GET", path, Map.of(), null, Set.of(), true), permission);
  }

  /** Sends a body as JSON. */
  public TrackerResponse send(
      String method, String path, Object body, RequestPermission permission) {
    return ask(new Request(method, path, Map.of(), body, Set.of(), false), permission);
  }

  /**
   * Sends a request; a tracker never gets two of them at the same time.
   *
   * @throws SourceFailure if there is no usable answer
   * @throws RequestPermission.PermissionLost if the permission to ask has ended
   */
  public synchronized TrackerResponse ask(Request request, RequestPermission permission) {
    URI address = address(base, request.path());
    Map<String, String> login = headers.get();
    Object source = request.waits() ? new Object() : this;
    try (var permit = limits.permit(base, login, source, permission)) {
      Duration limit = permission.limit().compareTo(LIMIT) < 0 ? permission.limit() : LIMIT;
      long end = System.nanoTime() + limit.toNanos();
      try {
        TrackerResponse answer =
            answer(new Exchange(request, address, login, limit, end), permission);
        permit.pause(answer.retryAfter());
        return answer;
      } catch (SourceFailure e) {
        permit.pause(e.failure().retryAfter());
        throw e;
      }
    }
  }

  private TrackerResponse answer(Exchange first, RequestPermission permission) {
    Exchange exchange = first;
    boolean renewed = false;
    for (int redirects = 0; ; redirects++) {
      permission.check();
      requests.incrementAndGet();
      Received received = exchange.send(client);
      if (received.status() == 401 && !renewed) {
        renewed = true;
        TokenCommand.rejected(first.login());
        Map<String, String> now = headers.get();
        if (!now.equals(first.login())) {
          exchange = exchange.as(now);
          redirects--;
          continue;
        }
      }
      if (!received.isRedirect() || exchange.expects(received.status())) {
        return received.answer(exchange, clock.instant());
      }
      URI next = redirect(received, exchange);
      if (redirects == MOST_REDIRECTS) {
        throw exchange.failure(
            Category.NOT_FOUND,
            "redirects more than " + MOST_REDIRECTS + " times; correct the url");
      }
      exchange = exchange.to(next);
    }
  }

  /**
   * The address of a path of the tracker, or a whole address if it belongs to the tracker.
   *
   * @throws SourceFailure if it does not belong to the tracker
   */
  static URI address(URI base, String path) {
    if (!isHttp(base)) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "the tracker's url is no http or https address with a host; correct the url");
    }
    String root = base.getRawPath() == null ? "" : base.getRawPath().replaceAll("/+$", "");
    URI address = parsed(path.startsWith("/") ? origin(base) + root + path : path);
    if (address == null || !isHttp(address)) {
      throw new SourceFailure(
          Category.MALFORMED,
          base.getHost()
              + " is to be asked for something that is no address;"
              + " correct url, project and query");
    }
    if (!origin(address).equals(origin(base))) {
      throw new SourceFailure(
          Category.MALFORMED,
          AsciiLine.of(
              origin(base)
                  + " links to "
                  + origin(address)
                  + " for more, where the token does not go; correct the url"));
    }
    return address;
  }

  /**
   * The address to which a redirect leads; only a request that reads may be repeated there.
   *
   * @throws SourceFailure if the redirect must not be followed
   */
  private URI redirect(Received received, Exchange exchange) {
    URI location = parsed(received.headers().firstValue("Location").orElse(""));
    URI to = location == null ? null : exchange.address().resolve(location);
    if (to == null || !isHttp(to)) {
      throw exchange.failure(
          Category.MALFORMED,
          "redirects to no address (" + received.status() + "); correct the url");
    }
    boolean signIn = to.getPath() != null && SIGN_IN.matcher(to.getPath()).find();
    if (origin(to).equals(origin(base))) {
      if (exchange.reads()) {
        return to;
      }
      if (!signIn) {
        throw exchange.failure(
            Category.NOT_FOUND,
            "is at another address now (" + received.status() + "); correct the project's name");
      }
    }
    throw exchange.failure(
        signIn ? Category.AUTH : Category.NOT_FOUND,
        "redirects to "
            + origin(to)
            + ", where the token does not go; "
            + (signIn
                ? "is the token valid, the url right?"
                : "correct the url to the address that answers"));
  }

  /** Scheme, host and port: the only place to which the token is sent. */
  private static String origin(URI address) {
    String scheme = address.getScheme().toLowerCase(Locale.ROOT);
    boolean usual = address.getPort() == (scheme.equals("https") ? 443 : 80);
    return scheme
        + "://"
        + address.getHost().toLowerCase(Locale.ROOT)
        + (address.getPort() < 0 || usual ? "" : ":" + address.getPort());
  }

  private static boolean isHttp(URI address) {
    return address.getHost() != null
        && address.getScheme() != null
        && address.getScheme().toLowerCase(Locale.ROOT).matches("https?");
  }

  static @Nullable URI parsed(String text) {
    try {
      return URI.create(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
