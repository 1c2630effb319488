package dev.flyball.ops.console;

import static dev.flyball.ops.console.SecuredConsole.ADMIN;
import static dev.flyball.ops.console.SecuredConsole.ADMIN_A;
import static dev.flyball.ops.console.SecuredConsole.OPERATOR_A;
import static dev.flyball.ops.console.SecuredConsole.VIEWER;
import static dev.flyball.ops.console.SecuredConsole.VIEWER_A;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.projection.SeededProjection;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.RequestBody;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets which answer of which route. */
final class ConsoleSecurityTest {
  private static final Map<String, String> TOKENS =
      Map.of(
          "viewer-a", VIEWER_A,
          "operator-a", OPERATOR_A,
          "admin-a", ADMIN_A,
          "viewer", VIEWER,
          "admin", ADMIN);

  /** What a client without a token may ask: probes, the form to sign in, and its style. */
  private static final Set<String> OPEN =
      Set.of(
          "GET /livez",
          "GET /readyz",
          "GET /sign-in",
          "POST /sign-in",
          "POST /sign-out",
          "GET /static/");

  @TempDir static Path folder;
  @AutoClose private static SecuredConsole console;

  @BeforeAll
  static void start() {
    SeededProjection.write(folder, "a/s/1", "a/s/2", "b/s/1");
    SeededProjection.history(folder, "a", "b");
    console = SecuredConsole.withoutKafka(folder);
  }

  @Test
  void withoutAValidTokenEveryRouteIs401() {
    for (String route : console.server.routes()) {
      if (OPEN.contains(route)) {
        continue;
      }
      String path = route.substring(route.indexOf(' ') + 1);
      HttpResponse<String> answer =
          route.startsWith("GET") ? console.get(path, null) : console.post(path, null, "{}");
      assertThat(answer.statusCode()).as(route).isEqualTo(401);
      assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
      assertThat(answer.body()).as(route).contains("\"status\":401");
    }
    assertThat(console.get("/livez", null).statusCode()).isEqualTo(200);
    assertThat(console.get("/readyz", null).statusCode()).isEqualTo(200);
    assertThat(console.get("/api/ps", "a-token-that-is-unknown").statusCode()).isEqualTo(401);
    assertThat(signIn("a-token-that-is-unknown", "/").statusCode()).isEqualTo(401);
  }

  @ParameterizedTest
  @CsvSource({
    "viewer-a, /api/item?key=a/s/1, 200",
    "viewer-a, /api/why?key=a/s/1, 200",
    "viewer-a, /api/ps, 200",
    "viewer-a, /api/summary, 200",
    "viewer-a, /api/item?key=b/s/1, 404",
    "viewer-a, /api/why?key=b/s/1, 404",
    "viewer-a, /api/analysis?key=b/s/1, 404",
    "viewer-a, /item?key=b/s/1, 404",
    "viewer-a, /api/item?key=none, 404",
    "viewer-a, /api/item, 404",
    "viewer-a, /api/items?state=nonsense, 422",
    "viewer-a, /api/items?limit=0, 422",
    "viewer-a, /api/items?limit=10001, 422",
    "viewer-a, /api/keys, 422",
    "viewer-a, /api/items?after=nonsense, 422",
    "viewer-a, /api/polls, 200",
    "viewer-a, /api/polls?source=s, 422",
    "viewer-a, /api/log, 422",
    "viewer-a, /api/log?session=session-of-b, 404",
    "viewer-a, /api/log?item=b/s/1, 404",
    "viewer-a, /api/log?session=session-of-a&after=nonsense, 422",
    "viewer, /api/log?session=session-of, 422",
    "viewer-a, /api/polls?source=b/s, 200",
    "viewer-a, /api/sessions?limit=0, 422",
    "viewer-a, /api/sessions?after=none, 200",
    "viewer-a, /api/dead-letters?after=none, 422",
    "viewer-a, /api/dead-letters?after=., 422",
    "viewer-a, /api/dead-letters?after=0.99, 200",
    "viewer-a, /api/actions?after=none, 200",
    "viewer-a, /history?after=none, 200",
    "viewer-a, /history/polls?source=b/s, 200",
    "viewer-a, /history/dead-letters?after=x.y.z, 200",
    "viewer-a, /history/actions?after=none, 200",
    "viewer-a, /history/none, 404",
    "viewer-a, /items?after=nonsense, 200",
    "viewer-a, /metrics, 403",
    "viewer-a, /health, 403",
    "viewer-a, /nothing, 404",
    "viewer, /metrics, 200",
    "viewer, /api/item?key=b/s/1, 200",
  })
  void aViewerReadsWhatBelongsToItsTenants(String who, String path, int status) {
    assertThat(console.get(path, TOKENS.get(who)).statusCode()).isEqualTo(status);
  }

  @Test
  void listsHoldOnlyWhatTheViewerSees() {
    assertThat(console.get("/api/items", VIEWER_A).body())
        .contains("a/s/1", "a/s/2")
        .doesNotContain("b/s/1");
    assertThat(console.get("/api/items", VIEWER_A).headers().firstValue("X-Total-Count"))
        .hasValue("2");
    assertThat(console.get("/api/items?tenant=b", VIEWER_A).body()).isEqualTo("[]\n");
    assertThat(console.get("/api/keys?id=1", VIEWER_A).body()).isEqualTo("[\"a/s/1\"]\n");
    assertThat(console.get("/api/summary", VIEWER_A).body()).contains("\"items\":{\"new\":2}");
    assertThat(console.get("/api/items", VIEWER).body()).contains("a/s/1", "b/s/1");
    assertThat(console.get("/api/summary", VIEWER).body()).contains("\"items\":{\"new\":3}");
  }

  @Test
  void theHeadOfAPageGivesTheReasonsOfHealthToViewersOfEveryTenantOnly() {
    String reason = "source b/s is paused by ben";
    try (var ill = SecuredConsole.withoutKafka(folder, () -> Health.unhealthy("source", reason))) {
      for (String page : List.of("/", "/items", "/history", "/item?key=a/s/1")) {
        assertThat(ill.get(page, VIEWER).body()).as(page).contains(reason);
        assertThat(ill.get(page, VIEWER_A).body())
            .as(page)
            .contains("unhealthy")
            .doesNotContain(reason);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "sessions, session-of-b, session-of-a",
    "dead-letters, letter of b, letter of a",
    "actions, money of b, money of a",
    "sources, reason of b, reason of a",
    "caps, tenant:b, tenant:a",
  })
  void theHistoryOfAnotherTenantDoesNotExist(String list, String others, String own) {
    assertThat(console.get("/api/" + list, VIEWER).body()).contains(own, others);
    assertThat(console.get("/api/" + list, VIEWER_A).body()).contains(own).doesNotContain(others);
    String page =
        switch (list) {
          case "sessions" -> "/history";
          case "sources" -> "/history/polls";
          case "caps" -> "/";
          default -> "/history/" + list;
        };
    assertThat(console.get(page, VIEWER).body()).contains(own, others);
    assertThat(console.get(page, VIEWER_A).body()).contains(own).doesNotContain(others);
    assertThat(console.get("/api/polls?source=b/s", VIEWER_A).body()).isEqualTo("[]\n");
  }

  @Test
  void aListContinuesAfterItsLastRow() {
    String newest = console.get("/api/sessions?limit=1", VIEWER).body();
    String first = newest.contains("session-of-a") ? "session-of-a" : "session-of-b";
    assertThat(console.get("/api/sessions?after=" + first, VIEWER).body())
        .contains(first.equals("session-of-a") ? "session-of-b" : "session-of-a")
        .doesNotContain(first);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "viewer-a | item | {'do':'cancel','key':'a/s/1'} | 403",
        "viewer | item | {'do':'cancel','key':'a/s/1'} | 403",
        "operator-a | item | {'do':'cancel','key':'b/s/1'} | 404",
        "operator-a | item | {'do':'forget','key':'a/s/1'} | 403",
        "operator-a | item | {'do':'delete','key':'a/s/1'} | 422",
        "operator-a | item | {'key':'a/s/1'} | 422",
        "operator-a | item | {'do':'cancel'} | 422",
        "operator-a | item | {'do':'cancel','key':'1'} | 422",
        "operator-a | item | {'do':'cancel','key':{}} | 400",
        "operator-a | item | [] | 400",
        "operator-a | item | {'do':| 400",
        "viewer-a | items | {'do':'cancel','confirm':2} | 403",
        "operator-a | items | {'do':'cancel'} | 422",
        "operator-a | items | {'do':'cancel','confirm':3} | 409",
        "operator-a | items | {'do':'cancel','state':'dead','confirm':0} | 409",
        "operator-a | items | {'do':'cancel','state':'nonsense','confirm':0} | 422",
        "operator-a | items | {'do':'cancel','source':'b/s','confirm':1} | 409",
        "operator-a | items | {'do':'cancel','source':'s','confirm':3} | 409",
        "viewer-a | items | {'do':'cancel','source':'s','confirm':2} | 403",
        "operator-a | items | {'do':'cancel','confirm':'many'} | 422",
        "operator-a | items | {'do':'forget','confirm':2} | 403",
        "viewer-a | pause | {'scope':'tenant:a'} | 403",
        "operator-a | pause | {} | 403",
        "operator-a | pause | {'scope':'provider:anthropic'} | 403",
        "operator-a | pause | {'scope':'tenant:b'} | 404",
        "operator-a | pause | {'scope':'source:b/s'} | 404",
        "operator-a | pause | {'scope':'nonsense'} | 422",
        "operator-a | pause | {'scope':'tenant:a','until':'soon'} | 422",
        "operator-a | resume | {'scope':'source:b/s'} | 404",
        "admin-a | resume | {} | 403",
        "operator-a | cap | {'scope':'tenant:a','limit':1} | 403",
        "admin-a | cap | {'limit':1} | 403",
        "admin-a | cap | {'scope':'tenant:b','limit':1} | 404",
        "admin | cap | {'limit':'-1'} | 422",
        "admin | cap | {'limit':2147483647} | 422",
        "admin | cap | {'limit':'none'} | 422",
        "admin-a | cap | {'scope':'tenant:b','limit':'none'} | 404",
        "operator-a | cap | {'scope':'tenant:a','limit':'none'} | 403",
        "admin | cap | {'limit':10001} | 422",
        "operator-a | budget | {'scope':'tenant:a','dailyUsd':'1'} | 403",
        "admin | budget | {} | 422",
        "admin | budget | {'dailyUsd':'much'} | 422",
        "viewer-a | poll | {'source':'a/s'} | 403",
        "operator-a | poll | {'source':'b/s'} | 404",
        "operator-a | poll | {'source':'a/none'} | 404",
        "operator-a | poll | {} | 422",
        "operator-a | poll | {'source':'a/s'} | 503",
        "viewer-a | dead-letters | {'do':'requeue','key':'a/s/1'} | 403",
        "operator-a | dead-letters | {'do':'requeue','key':'b/s/1'} | 404",
        "operator-a | dead-letters | {'do':'eat','key':'a/s/1'} | 422",
      })
  void anActionNeedsItsRoleInTheTenant(String who, String action, String json, int status) {
    HttpResponse<String> answer =
        console.post("/actions/" + action, TOKENS.get(who), json.replace('\'', '"'));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
  }

  @Test
  void anActionOnAllNeedsTheSameItemsAndNotOnlyAsMany() {
    String counted = console.post("/actions/items", OPERATOR_A, "{\"do\":\"skip\"}").body();
    assertThat(counted).contains("\"count\":2", "confirm=2", "digest=");
    String digest = counted.replaceAll("(?s).*\"digest\":\"([0-9a-f]{32})\".*", "$1");
    assertThat(console.get("/items?tenant=a&confirm=skip", OPERATOR_A).body())
        .contains("name=\"digest\" value=\"" + digest + "\"");
    assertThat(skip(digest)).as("Kafka is away, all else is right").isEqualTo(503);
    assertThat(skip("")).isEqualTo(422);
    assertThat(skip("0".repeat(32))).isEqualTo(409);
  }

  private int skip(String digest) {
    String json = "{\"do\":\"skip\",\"confirm\":2,\"digest\":\"" + digest + "\"}";
    return console.post("/actions/items", OPERATOR_A, json).statusCode();
  }

  @Test
  void aTooLongBodyIs413AndAnUnknownTypeIs400() {
    String big = "{\"why\":\"" + "a".repeat(RequestBody.MOST) + "\"}";

    assertThat(console.post("/actions/item", OPERATOR_A, big).statusCode()).isEqualTo(413);
    assertThat(
            console
                .send(
                    console
                        .request("/actions/item", OPERATOR_A)
                        .header("Content-Type", "text/plain")
                        .header("X-Flyball-Request", "1")
                        .POST(HttpRequest.BodyPublishers.ofString("do=cancel")))
                .statusCode())
        .isEqualTo(400);
    assertThat(console.get("/api/ps", OPERATOR_A).statusCode()).isEqualTo(200);
  }

  @Test
  void aForeignPageCanDoNothingWithTheCookie() {
    String cookie = signIn(OPERATOR_A, "/").headers().firstValue("Set-Cookie").orElseThrow();
    HttpRequest.Builder form =
        form("/actions/item", "do=cancel&key=a/s/1")
            .header("Cookie", cookie.split(";")[0])
            .setHeader("Origin", "https://evil.example");

    assertThat(console.send(form).statusCode()).isEqualTo(403);
  }

  @Test
  void aBrowserSignsInByAFormAndOutAgain() {
    HttpResponse<String> sent =
        console.send(console.request("/item?key=a/s/1", null).header("Accept", "text/html"));
    assertThat(sent.statusCode()).isEqualTo(303);
    assertThat(sent.headers().firstValue("Location"))
        .hasValue("/sign-in?back=%2Fitem%3Fkey%3Da%2Fs%2F1");
    assertThat(console.get("/sign-in", null).body()).contains("<form method=\"post\">");

    HttpResponse<String> in = signIn(OPERATOR_A, "%2Fitem%3Fkey%3Da%2Fs%2F1");
    assertThat(in.statusCode()).isEqualTo(303);
    assertThat(in.headers().firstValue("Location")).hasValue("/item?key=a/s/1");
    String cookie = in.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(cookie).contains("; HttpOnly; SameSite=Lax; Max-Age=43200");
    String value = cookie.split(";")[0];
    assertThat(withCookie("/api/item?key=a/s/1", value).statusCode()).isEqualTo(200);
    assertThat(withCookie("/api/item?key=b/s/1", value).statusCode()).isEqualTo(404);

    console.send(form("/sign-out", "").header("Cookie", value));
    assertThat(withCookie("/api/ps", value).statusCode()).isEqualTo(401);
    assertThat(signIn(OPERATOR_A, "//evil.example").headers().firstValue("Location")).hasValue("/");
  }

  /** Browsers give a form's Origin as null after a page that asks for no referrer. */
  @ParameterizedTest
  @ValueSource(strings = {"/sign-in", "/", "/items", "/item?key=a/s/1", "/nothing", "/static/x"})
  void noPageAsksBrowsersToHideItFromThisServer(String path) {
    assertThat(console.get(path, VIEWER).headers().firstValue("Referrer-Policy"))
        .hasValue("same-origin");
  }

  @Test
  void everyPageNamesWhoIsSignedInAndHowToSignOut() {
    String cookie =
        signIn(OPERATOR_A, "/").headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
    for (String path : List.of("/", "/items", "/item?key=a/s/1", "/history", "/nothing")) {
      assertThat(withCookie(path, cookie).body())
          .as(path)
          .contains("otto (a: operator)", "action=\"/sign-out\"");
      assertThat(console.get(path, OPERATOR_A).body()).doesNotContain("action=\"/sign-out\"");
    }
  }

  /** A browser drops a Secure cookie that it gets over plain HTTP. */
  @Test
  void aSignInByPlainHttpStaysThoughTheUsualAddressHasTls() {
    assertThat(signIn(VIEWER, "/").headers().firstValue("Set-Cookie").orElseThrow())
        .doesNotContain("Secure");
    assertThat(
            console
                .send(
                    form("/sign-in", "token=" + VIEWER)
                        .setHeader("Origin", console.server.url().replace("http:", "https:")))
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow())
        .endsWith("; Secure");
  }

  @Test
  void aReceiptIsShownOnceAndALinkCannotMakeOne() {
    assertThat(console.get("/?notice=all+were+killed", VIEWER).body()).doesNotContain("killed");

    HttpResponse<String> refused =
        console.send(form("/actions/item", "do=cancel&key=b/s/1&back=/items", OPERATOR_A));
    assertThat(refused.statusCode()).isEqualTo(303);
    assertThat(refused.headers().firstValue("Location")).hasValue("/items");
    String receipt = refused.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];

    HttpResponse<String> page =
        console.send(console.request("/items", OPERATOR_A).header("Cookie", receipt));
    assertThat(page.body()).contains("note bad");
    assertThat(page.headers().firstValue("Set-Cookie").orElseThrow())
        .startsWith("flyball-receipt=;")
        .contains("Max-Age=0");
  }

  @ParameterizedTest
  @CsvSource({
    "budget, dailyUsd=abc",
    "cap, limit=many",
    "pause, scope=web",
    "pause, until=soon",
    "item, do=cancel&key=1",
    "dead-letters, do=eat&key=a/s/1",
  })
  void aWrongValueLeavesABrowserOnItsPage(String action, String fields) {
    HttpResponse<String> answer =
        console.send(form("/actions/" + action, fields + "&back=/items", ADMIN));

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("/items");
    assertThat(answer.headers().firstValue("Set-Cookie").orElseThrow())
        .startsWith("flyball-receipt=BAD.");
  }

  @Test
  void aFormWhoseSignInEndedLeadsToTheSignIn() {
    HttpResponse<String> answer = console.send(form("/actions/pause", "why=lunch"));

    assertThat(answer.statusCode()).isEqualTo(303);
    assertThat(answer.headers().firstValue("Location")).hasValue("/sign-in?back=%2F");
  }

  private static HttpRequest.Builder form(String path, String fields) {
    return form(path, fields, null);
  }

  /** A form as a browser sends it. */
  private static HttpRequest.Builder form(String path, String fields, @Nullable String token) {
    return console
        .request(path, token)
        .header("Accept", "text/html")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Origin", console.server.url())
        .POST(HttpRequest.BodyPublishers.ofString(fields));
  }

  private static HttpResponse<String> signIn(String token, String back) {
    return console.send(form("/sign-in?back=" + back, "token=" + token));
  }

  private static HttpResponse<String> withCookie(String path, String cookie) {
    return console.send(console.request(path, null).header("Cookie", cookie));
  }
}
