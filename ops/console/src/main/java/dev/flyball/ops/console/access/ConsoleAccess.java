package dev.flyball.ops.console.access;

import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.text.BundledText;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who sends a request. Without tokens every client is the administrator, which is right for a
 * loopback address only. With tokens a program sends {@code Authorization: Bearer}, and a browser
 * signs in by a form and presents a cookie. Any thread.
 */
public final class ConsoleAccess implements AdminServer.Gate {
  private static final String COOKIE = "flyball-session";
  private static final String BEARER = "Bearer ";
  private static final int LONGEST_PATH = 2_000;
  private static final String FAILURE = "<!-- failure -->";

  /** Figures and reasons of all tenants. */
  private static final Set<String> OVERALL = Set.of("/health", "/metrics");

  private final List<AccessToken> tokens;
  private final boolean secure;
  private final InstantSource clock;
  private final SignIns signIns = new SignIns();

  /**
   * @param tokens who may ask; none for every client
   * @param secure whether browsers reach the console by TLS, so that the cookie needs it
   */
  public ConsoleAccess(List<AccessToken> tokens, boolean secure, InstantSource clock) {
    this.tokens = List.copyOf(tokens);
    this.secure = secure;
    this.clock = clock;
  }

  /** Every client is an administrator. */
  public static ConsoleAccess everybody() {
    return new ConsoleAccess(List.of(), false, InstantSource.system());
  }

  /**
   * The viewer who sends a request.
   *
   * @throws HttpProblem 401 without a valid token
   */
  public Viewer viewer(HttpExchange exchange) {
    if (tokens.isEmpty()) {
      return new Viewer(
          System.getProperty("user.name", "operator"),
          Map.of(Viewer.ALL_TENANTS, AccessRole.ADMIN));
    }
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (authorization != null) {
      return bearer(exchange, authorization);
    }
    return cookie(exchange, COOKIE)
        .flatMap(value -> signIns.viewer(value, clock.instant()))
        .orElseThrow(() -> unknown(exchange, "a token is needed"));
  }

  @Override
  public boolean admits(HttpExchange exchange) throws IOException {
    try {
      Viewer viewer = viewer(exchange);
      if (OVERALL.contains(exchange.getRequestURI().getPath())
          && !viewer.mayEverywhere(AccessRole.VIEWER)) {
        throw new HttpProblem(403, "needs the role viewer in all tenants");
      }
      return true;
    } catch (HttpProblem problem) {
      if (problem.status() == 401 && HttpProblem.acceptsHtml(exchange)) {
        String back =
            exchange.getRequestMethod().equals("GET")
                ? exchange.getRequestURI().toASCIIString()
                : "/";
        redirect(exchange, "/sign-in?back=" + URLEncoder.encode(back, StandardCharsets.UTF_8));
        return false;
      }
      throw problem;
    }
  }

  /** Adds the form by which a browser signs in, and signing out. */
  public void attach(AdminServer server) {
    server.open("/sign-in", exchange -> form(exchange, 200, ""));
    server.openPost("/sign-in", this::signIn);
    server.openPost("/sign-out", this::signOut);
  }

  /**
   * Where a browser continues after a form: at this path if it is one of this server, else at
   * {@code /}. Two slashes, or a slash and a backslash, begin the name of another server.
   */
  public static String back(@Nullable String path) {
    boolean local =
        path != null
            && path.length() <= LONGEST_PATH
            && path.startsWith("/")
            && !path.startsWith("//")
            && path.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\');
    return path != null && local ? path : "/";
  }

  /** Continues at a path of this server. */
  public static void redirect(HttpExchange exchange, String path) throws IOException {
    exchange.getResponseHeaders().set("Location", path);
    exchange.sendResponseHeaders(303, -1);
  }

  private void signIn(HttpExchange exchange) throws IOException {
    String token = RequestBody.fields(RequestBody.read(exchange)).getOrDefault("token", "");
    Viewer viewer;
    try {
      viewer = byToken(exchange, token.strip());
    } catch (HttpProblem problem) {
      form(exchange, problem.status(), "<p role=\"alert\">" + problem.detail() + "</p>");
      return;
    }
    setCookie(exchange, signIns.begin(viewer, clock.instant()), SignIns.AGE);
    redirect(exchange, back(RequestBody.query(exchange).get("back")));
  }

  private void signOut(HttpExchange exchange) throws IOException {
    cookie(exchange, COOKIE).ifPresent(signIns::end);
    setCookie(exchange, "", Duration.ZERO);
    redirect(exchange, "/sign-in");
  }

  private Viewer bearer(HttpExchange exchange, String authorization) {
    if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      throw unknown(exchange, "only Authorization: Bearer is known");
    }
    return byToken(exchange, authorization.substring(BEARER.length()).strip());
  }

  private Viewer byToken(HttpExchange exchange, String token) {
    return AccessToken.viewer(tokens, token)
        .orElseThrow(() -> unknown(exchange, "the token is not valid"));
  }

  private static HttpProblem unknown(HttpExchange exchange, String detail) {
    exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
    return new HttpProblem(401, detail);
  }

  /** Whether a request comes from a browser that presents a sign-in, and so can sign out. */
  public static boolean signedIn(HttpExchange exchange) {
    return cookie(exchange, COOKIE).isPresent();
  }

  static Optional<String> cookie(HttpExchange exchange, String name) {
    List<String> headers = exchange.getRequestHeaders().getOrDefault("Cookie", List.of());
    return headers.stream()
        .flatMap(header -> Stream.of(header.split(";")))
        .map(String::strip)
        .filter(each -> each.startsWith(name + "="))
        .map(each -> each.substring(name.length() + 1))
        .findFirst();
  }

  private void setCookie(HttpExchange exchange, String value, Duration age) {
    exchange
        .getResponseHeaders()
        .add(
            "Set-Cookie",
            COOKIE
                + "="
                + value
                // Strict would ask users of a link in a tracker or a chat to sign in again. What
                // changes anything is a POST, which Lax withholds from other sites, too.
                + "; Path=/; HttpOnly; SameSite=Lax; Max-Age="
                + age.toSeconds()
                + (secure(exchange) ? "; Secure" : ""));
  }

  /**
   * Whether this browser came by TLS: its Origin says so also behind a proxy. A browser drops a
   * Secure cookie that it gets over plain HTTP, and with it the sign-in.
   */
  private boolean secure(HttpExchange exchange) {
    String origin = exchange.getRequestHeaders().getFirst("Origin");
    return origin == null ? secure : origin.startsWith("https:");
  }

  private static void form(HttpExchange exchange, int status, String failure) throws IOException {
    exchange
        .getResponseHeaders()
        .set(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none';"
                + " frame-ancestors 'none'");
    AdminServer.answer(
        exchange,
        status,
        "text/html; charset=utf-8",
        BundledText.of(ConsoleAccess.class, "sign-in.html").replace(FAILURE, failure));
  }

  /**
   * Browsers that are signed in. They are kept in memory only, by the hash of a random value; a
   * restart of the console signs everybody out. Any thread.
   */
  static final class SignIns {
    /** Most of one viewer, whose oldest is signed out. As many viewers as tokens exist. */
    static final int MOST_OF_ONE = 100;

    /** After this time a browser must sign in again. */
    static final Duration AGE = Duration.ofHours(12);

    private static final int BYTES = 32;

    private final SecureRandom random = new SecureRandom();

    /** Written and read under this object's monitor. */
    private final Map<String, SignIn> signIns = new LinkedHashMap<>();

    private record SignIn(Viewer viewer, Instant until) {}

    /** Signs a browser in and returns the value that it presents from now on. */
    synchronized String begin(Viewer viewer, Instant now) {
      signIns.values().removeIf(each -> each.until().isBefore(now));
      List<String> own =
          signIns.entrySet().stream()
              .filter(each -> each.getValue().viewer().name().equals(viewer.name()))
              .map(Map.Entry::getKey)
              .toList();
      if (own.size() >= MOST_OF_ONE) {
        signIns.remove(own.getFirst());
      }
      byte[] bytes = new byte[BYTES];
      random.nextBytes(bytes);
      String value = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      signIns.put(AccessToken.hash(value), new SignIn(viewer, now.plus(AGE)));
      return value;
    }

    /** The viewer who presents this value; empty if it is not or no longer signed in. */
    synchronized Optional<Viewer> viewer(String value, Instant now) {
      return Optional.ofNullable(signIns.get(AccessToken.hash(value)))
          .filter(each -> each.until().isAfter(now))
          .map(SignIn::viewer);
    }

    synchronized void end(String value) {
      signIns.remove(AccessToken.hash(value));
    }
  }
}
