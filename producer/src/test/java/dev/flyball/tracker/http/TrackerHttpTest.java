package dev.flyball.tracker.http;

import static dev.flyball.tracker.TestSources.failureOf;
import static dev.flyball.tracker.TrackerFailure.Category.AUTH;
import static dev.flyball.tracker.TrackerFailure.Category.MALFORMED;
import static dev.flyball.tracker.TrackerFailure.Category.NOT_FOUND;
import static dev.flyball.tracker.TrackerFailure.Category.RATE_LIMITED;
import static dev.flyball.tracker.TrackerFailure.Category.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.ThreadMXBean;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Fault;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How requests are sent to a tracker, and what each type of answer becomes, with a limit on each
 * call.
 */
class TrackerHttpTest {
  private static final String TOKEN = "s3cr3t-7b1f0c2d9e4a";
  private static final Instant NOW = Instant.parse("2026-11-22T03:00:00Z");
  private static final FaultReply GOOD = FaultReply.json("{\"ok\":true}");

  @AutoClose private final FaultServer tracker = FaultServer.http();
  @AutoClose private final FaultServer elsewhere = FaultServer.http();

  @Test
  void anAnswerIsItsJsonAndItsHeadersAndItIsAskedForAsJsonUncompressed() {
    tracker.then(FaultReply.json(200, Map.of("Link", "<x>", "Retry-After", "20"), "{\"n\":[1,2]}"));

    TrackerResponse answer = get("/a?b=c");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("n").path(1).asInt()).isEqualTo(2);
    assertThat(answer.headers().firstValue("link")).contains("<x>");
    assertThat(answer.retryAfter()).as("of a good answer").isEqualTo(Duration.ofSeconds(20));
    var request = tracker.requests().getFirst();
    assertThat(request.target()).isEqualTo("/a?b=c");
    assertThat(request.header("User-Agent").orElseThrow()).matches("flyball/[0-9]+\\..*");
    assertThat(request.header("Accept")).contains("application/json");
    assertThat(request.header("Accept-Encoding")).isEmpty();
    assertThat(request.header("Content-Length")).as("nothing is sent").isEmpty();
    assertThat(request.header("Authorization")).contains("Bearer " + TOKEN);
  }

  @Test
  void jsonIsSentAsJson() {
    tracker.then(GOOD);

    http().send("POST", "/q", Map.of("query", "x"), RequestPermission.GRANTED);

    var request = tracker.requests().getFirst();
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.body()).isEqualTo("{\"query\":\"x\"}");
    assertThat(request.header("Content-Type")).contains("application/json");
  }

  @Test
  void aRootWithAPathAndSlashesKeepsItsPath() {
    tracker.then(GOOD);

    http(URI.create(tracker.url() + "/redmine//")).get("/issues.json", RequestPermission.GRANTED);

    assertThat(tracker.requests().getFirst().target()).isEqualTo("/redmine/issues.json");
  }

  @Test
  void aLinkToTheTrackerItselfIsFollowed() {
    tracker.then(GOOD);

    get(tracker.url() + "/next?page=2");

    assertThat(tracker.requests().getFirst().target()).isEqualTo("/next?page=2");
  }

  @Test
  void aLinkToAnotherOriginIsNot() {
    for (String link :
        List.of(
            elsewhere.url() + "/next",
            tracker.url().toString().replace("127.0.0.1", "localhost") + "/next",
            tracker.url().toString().replace("http:", "https:") + "/next")) {
      TrackerFailure failure = failure(link);

      assertThat(failure.category()).isEqualTo(MALFORMED);
      assertThat(failure.reason()).contains("127.0.0.1");
    }
    assertThat(tracker.requests()).isEmpty();
    assertThat(elsewhere.requests()).isEmpty();
  }

  @Test
  void whatIsNoAddressIsAFailureAndNoException() {
    assertThat(failure("/a b").category()).isEqualTo(MALFORMED);
    assertThat(failure("@evil.example/").category()).isEqualTo(MALFORMED);
    assertThat(failure("file:///etc/passwd").category()).isEqualTo(MALFORMED);
    var nowhere = http(URI.create("ftp://tracker.example/x"));
    assertThat(failureOf(() -> nowhere.get("/", RequestPermission.GRANTED)).category())
        .isEqualTo(NOT_FOUND);
  }

  @Test
  void redirectsWithinTheTrackerAreFollowedThreeTimes() {
    var redirect = FaultReply.redirect(302, "/other");
    tracker.then(redirect, redirect, redirect, GOOD);
    TrackerHttp http = http();

    TrackerResponse answer = http.get("/one", RequestPermission.GRANTED);

    assertThat(answer.json().path("ok").asBoolean()).isTrue();
    assertThat(http.requests()).isEqualTo(4);

    tracker.then(redirect, redirect, redirect, redirect, GOOD);
    assertThat(failure("/one").category()).isEqualTo(NOT_FOUND);
  }

  @Test
  void aRedirectOfWhatWouldChangeSomethingIsNotFollowed() {
    tracker.then(FaultReply.redirect(307, "/other"));
    TrackerHttp http = http();
    JsonNode body = RecordJson.parse("{}");

    TrackerFailure failure =
        failureOf(() -> http.send("POST", "/q", body, RequestPermission.GRANTED));

    assertThat(failure.category()).isEqualTo(NOT_FOUND);
    assertThat(tracker.requests()).hasSize(1);
  }

  @Test
  void theTokenNeverFollowsARedirectToAnotherHostPortOrScheme() {
    String secure = tracker.url().toString().replace("http:", "https:");
    for (String other : List.of(elsewhere.url().toString(), secure)) {
      tracker.then(FaultReply.redirect(301, other + "/issues?x=1"));

      TrackerFailure failure = failure("/issues?secret=1");

      assertThat(failure.category()).isEqualTo(NOT_FOUND);
      assertThat(failure.reason())
          .contains(tracker.url().getAuthority(), other)
          .doesNotContain("secret=1");
    }
    assertThat(elsewhere.requests()).isEmpty();
    URI base = URI.create("https://a.example");
    assertThat(TrackerHttp.address(base, "https://A.example:443/x")).as("the same").isNotNull();
    assertThatThrownBy(() -> TrackerHttp.address(base, "http://a.example/x"))
        .as("not encrypted")
        .isInstanceOf(SourceFailure.class);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OTHER_JSON")
  void eachFaultHasItsCategoryAndItsPause(Fault fault) {
    tracker.otherwise(_ -> fault.reply(TOKEN, elsewhere.url()));

    TrackerFailure failure = failure("/issues");

    assertThat(failure.category()).as(failure.reason()).isEqualTo(fault.category());
    assertThat(failure.retryAfter()).isGreaterThanOrEqualTo(fault.retryAfter());
    assertThat(elsewhere.requests()).as("the credential stays with its tracker").isEmpty();
  }

  @Test
  void aRedirectToASignInIsAboutTheTokenAndOneToNowhereAFailure() {
    tracker.then(
        FaultReply.redirect(302, elsewhere.url() + "/_signin?realm=x"),
        FaultReply.redirect(302, "::not an address::"));

    assertThat(failure("/issues").category()).isEqualTo(AUTH);
    assertThat(failure("/issues").category()).isEqualTo(MALFORMED);
  }

  @Test
  void aSignInPageIsAboutTheTokenAndAnyOtherPageAboutTheUrl() {
    tracker.then(
        FaultReply.page(203, "<html>"),
        FaultReply.page(200, "<html><title>Sign in to your account</title>"),
        FaultReply.page(200, "<html>Welcome"),
        new FaultReply.Whole(
            200, Map.of(), " <?xml version='1.0'?><a/>".getBytes(StandardCharsets.UTF_8)));

    assertThat(failure("/").category()).isEqualTo(AUTH);
    assertThat(failure("/").category()).isEqualTo(AUTH);
    assertThat(failure("/").category()).isEqualTo(MALFORMED);
    assertThat(failure("/").reason()).contains(" page ");
  }

  @Test
  void jsonThatIsCalledAPageIsJson() {
    tracker.then(FaultReply.page(200, " {\"ok\":true}"));

    assertThat(get("/").json().path("ok").asBoolean()).isTrue();
  }

  @Test
  void readingNothingIsNoAnswerButWritingMayBe() {
    tracker.then(FaultReply.json(""), FaultReply.json(""));

    assertThat(failure("/").category()).isEqualTo(MALFORMED);
    JsonNode body = RecordJson.parse("{}");
    assertThat(http().send("PUT", "/", body, RequestPermission.GRANTED).json().isMissingNode())
        .isTrue();
  }

  @Test
  void theTrackersOwnWordsAreQuotedOnOneLine() {
    tracker.then(
        FaultReply.json(400, "{\"errorMessages\":[\"Das Feld\\n'x'\\u0007 ist ung\u00fcltig\"]}"),
        FaultReply.json(422, "{\"message\":\"Validation\",\"errors\":[{\"field\":\"since\"}]}"),
        FaultReply.json(400, "{\"errors\":{\"jql\":\"is not bounded\"}}"),
        FaultReply.json(400, "{\"message\":\"" + "very ".repeat(1_000) + "\"}"));

    TrackerFailure first = failure("/");
    assertThat(first.category()).isEqualTo(NOT_FOUND);
    assertThat(first.reason()).contains("(Das Feld 'x' ist ungultig)");
    assertThat(failure("/").reason()).contains("Validation; since");
    assertThat(failure("/").reason()).contains("is not bounded");
    assertThat(failure("/").reason()).contains("very very").hasSizeLessThan(500);
  }

  @Test
  void whatAServerEchoesOfTheSecretIsBlottedOut() {
    String basic =
        Base64.getEncoder().encodeToString(("me:" + TOKEN).getBytes(StandardCharsets.UTF_8));
    tracker.then(FaultReply.json(401, "{\"message\":\"" + TOKEN + " and Basic " + basic + "\"}"));

    TrackerFailure failure = failureWith(Map.of("Authorization", "Basic " + basic));

    assertThat(failure.reason()).doesNotContain(TOKEN).doesNotContain(basic).contains("[redacted]");
  }

  @Test
  void mediaTypesAndVersionsAreNoSecrets() {
    var headers =
        Map.of(
            "Accept", "application/vnd.github+json",
            "X-GitHub-Api-Version", "2022-11-28",
            "X-Api-Key", TOKEN);
    String answer = "send application/vnd.github+json of 2022-11-28, not ";
    tracker.then(FaultReply.json(415, "{\"message\":\"" + answer + TOKEN + "\"}"));

    assertThat(failureWith(headers).reason()).contains(answer + "[redacted]");
  }

  @Test
  void aTokenThatIsNoHeaderIsNotQuoted() {
    TrackerFailure failure = failureWith(Map.of("Authorization", "Bearer \n" + TOKEN));

    assertThat(failure.category()).isEqualTo(AUTH);
    assertThat(failure.reason()).doesNotContain(TOKEN);
    assertThat(tracker.requests()).isEmpty();
  }

  @Test
  void expectedStatusesAreAnswersWithWhateverJsonTheyHave() {
    tracker.then(
        FaultReply.json(404, "{\"errors\":[\"gone\"]}"),
        FaultReply.page(404, "<html>"),
        FaultReply.status(304, Map.of("ETag", "x")),
        FaultReply.status(204, Map.of()));

    TrackerResponse first =
        http()
            .ask(
                new TrackerHttp.Request("GET", "/", Map.of(), null, Set.of(404), true),
                RequestPermission.GRANTED);
    assertThat(first.status()).isEqualTo(404);
    assertThat(first.json().path("errors").path(0).asText()).isEqualTo("gone");
    assertThat(
            http()
                .ask(
                    new TrackerHttp.Request("GET", "/", Map.of(), null, Set.of(404), true),
                    RequestPermission.GRANTED)
                .json()
                .isMissingNode())
        .isTrue();
    assertThat(get("/").status()).isEqualTo(304);
    assertThat(get("/").json().isMissingNode()).isTrue();
  }

  @Test
  void aLimitOfRequestsIsNoFailureOfTheTracker() {
    String secondary = "{\"message\":\"You have exceeded a secondary rate limit\"}";
    tracker.then(
        FaultReply.status(429, Map.of("Retry-After", "7")),
        FaultReply.json(429, "{\"message\":\"TF400733: blocked\"}"),
        FaultReply.json(403, secondary),
        FaultReply.json(403, Map.of("Retry-After", "5"), secondary),
        FaultReply.json(
            403,
            Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset(600)),
            "{\"message\":\"API quota\"}"));

    assertThat(limited()).isEqualTo(Duration.ofSeconds(7));
    assertThat(limited()).as("who says nothing, is waited for by the breaker").isZero();
    assertThat(limited()).isZero();
    assertThat(limited()).as("a secondary limit").isEqualTo(Duration.ofMinutes(1));
    assertThat(limited()).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void aRefusalIsNoLimitBecauseThereIsOne() {
    tracker.then(
        FaultReply.json(403, Map.of("X-RateLimit-Remaining", "4999"), "{\"message\":\"No\"}"));

    assertThat(failure("/").category()).isEqualTo(AUTH);
  }

  @Test
  void jsonMustBeWholeUtf8AndNotTooDeep() {
    tracker.then(
        FaultReply.json("{} {}"),
        new FaultReply.Raw("HTTP/1.1 200 OK\r\n\r\n{\"a\":["),
        FaultReply.json("[".repeat(600) + "]".repeat(600)),
        FaultReply.json("[0" + ",0".repeat(2_000_000) + "]"),
        new FaultReply.Whole(200, Map.of(), new byte[] {'"', (byte) 0xc0, (byte) 0x80, '"'}));

    for (String what : List.of("JSON", "breaks off", "deep", "values", "UTF-8")) {
      TrackerFailure failure = failure("/");
      assertThat(failure.category()).isEqualTo(MALFORMED);
      assertThat(failure.reason()).contains(what);
    }
  }

  @ParameterizedTest
  @CsvSource({"'\"', a", "[, '1,'", "'', [", "'', '{\"a\":'", "'', ' '"})
  void aBodyWithoutAnEndTakesBoundedMemory(String head, String piece) {
    var sent = new AtomicLong();
    var body =
        new InputStream() {
          @Override
          public int read() {
            long at = sent.getAndIncrement() - head.length();
            return at < 0 ? head.charAt(0) : piece.charAt((int) (at % piece.length()));
          }

          @Override
          public int read(byte[] into, int from, int length) {
            for (int i = from; i < from + length; i++) {
              into[i] = (byte) read();
            }
            return length;
          }
        };
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();

    assertThatThrownBy(() -> TrackerJson.read(body)).isInstanceOf(TrackerJson.Unreadable.class);

    assertThat(sent).hasValueLessThan(65L << 20);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(256L << 20);
  }

  @ParameterizedTest
  @CsvSource({"500, false", "502, true", "503, false", "504, true"})
  void aGatewayThatGaveUpMayHaveBeenAskedForTooMuch(int status, boolean tooMuch) {
    tracker.then(FaultReply.json(status, "{}"));

    assertThatThrownBy(() -> http().get("/", RequestPermission.GRANTED))
        .isInstanceOfSatisfying(
            SourceFailure.class, failure -> assertThat(failure.tooMuch()).isEqualTo(tooMuch));
  }

  @Test
  void anAnswerThatDoesNotEndIsUnreachableAndEndedAtTheTrackerToo() {
    TrackerFailure none = givenUp(new FaultReply.Silent());
    assertThat(none.category()).isEqualTo(UNREACHABLE);
    assertThat(none.reason()).containsPattern(" [0-9]+ m?s\\b");

    TrackerFailure failure = givenUp(new FaultReply.Dripping());

    assertThat(failure.category()).isEqualTo(UNREACHABLE);
    assertThat(failure.reason()).containsPattern(" [0-9]+ m?s\\b");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> assertThat(tracker.requests()).noneMatch(request -> request.endNanos() == 0));
  }

  /**
   * Uses made-up exceptions: neither the JDK nor our server speaks a TLS too old for the other, and
   * a real name service may take half a minute.
   */
  @Test
  void whyNoAnswerCameSaysTheFix() {
    var unresolved = new ConnectException();
    unresolved.initCause(new UnresolvedAddressException());
    var reasons =
        Map.of(
            new SSLException("Received fatal alert: protocol_version"),
            "protocol_version",
            unresolved,
            "name service",
            new UnknownHostException("tracker.invalid"),
            "name service",
            new ConnectException(),
            "no server listens");
    var exchange =
        new Exchange(
            new TrackerHttp.Request("GET", "/x", Map.of(), null, Set.of(), false),
            URI.create("https://tracker.invalid/x"),
            Map.of(),
            Duration.ZERO,
            0);

    reasons.forEach((problem, fix) -> {
      TrackerFailure failure = exchange.unanswered(problem, false).failure();
      assertThat(failure.category()).isEqualTo(UNREACHABLE);
      assertThat(failure.reason()).contains("tracker.invalid", fix);
    });
  }

  @Test
  void leaveIsAskedForBeforeEveryRequestAndEveryRedirect() {
    tracker.otherwise(request -> FaultReply.redirect(302, "/again"));
    var left = new AtomicInteger(2);
    TrackerHttp http = http();

    assertThatThrownBy(() ->
            http.get(
                "/",
                () -> {
                  if (left.getAndDecrement() == 0) {
                    throw new RequestPermission.PermissionLost("taken over");
                  }
                }))
        .isInstanceOf(RequestPermission.PermissionLost.class);
    assertThat(tracker.requests()).hasSize(2);
    assertThat(http.requests()).isEqualTo(2);
  }

  @Test
  void anInterruptEndsTheWaitingAndStaysAnInterrupt() throws Exception {
    tracker.then(new FaultReply.Silent());
    TrackerHttp http = http();
    var interrupted = new CompletableFuture<Boolean>();
    Thread asking =
        Thread.ofVirtual()
            .start(() -> {
              try {
                http.get("/", RequestPermission.GRANTED);
              } catch (RequestPermission.PermissionLost e) {
                interrupted.complete(Thread.currentThread().isInterrupted());
              } finally {
                interrupted.complete(false);
              }
            });
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> tracker.requests().size() == 1);

    asking.interrupt();

    assertThat(interrupted.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void twoWhoAskAtOnceTakeTurns() throws Exception {
    var never = new CountDownLatch(1);
    tracker.otherwise(request -> {
      try {
        // Long enough for another request to arrive, if it were permitted.
        assertThat(never.await(200, TimeUnit.MILLISECONDS)).isFalse();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return GOOD;
    });
    TrackerHttp http = http();

    var all = new CompletableFuture<?>[3];
    for (int i = 0; i < all.length; i++) {
      all[i] =
          CompletableFuture.runAsync(
              () -> http.get("/", RequestPermission.GRANTED),
              task -> Thread.ofVirtual().start(task));
    }
    CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);

    assertThat(tracker.mostAtOnce()).isEqualTo(1);
    assertThat(tracker.requests()).hasSize(all.length);
  }

  private Duration limited() {
    TrackerFailure failure = failure("/");
    assertThat(failure.category()).isEqualTo(RATE_LIMITED);
    return failure.retryAfter();
  }

  private static String reset(long seconds) {
    return Long.toString(NOW.plusSeconds(seconds).getEpochSecond());
  }

  private TrackerResponse get(String path) {
    return http().get(path, RequestPermission.GRANTED);
  }

  private TrackerFailure failure(String path) {
    TrackerHttp http = http();
    TrackerFailure failure = failureOf(() -> http.get(path, RequestPermission.GRANTED));
    assertThat(failure.reason()).matches("[ -~]{20,600}").doesNotContain(TOKEN);
    return failure;
  }

  private TrackerFailure failureWith(Map<String, String> headers) {
    var http = new TrackerHttp(tracker.url(), () -> headers, () -> NOW, new TrackerLimits());
    return failureOf(() -> http.get("/", RequestPermission.GRANTED));
  }

  private TrackerHttp http() {
    return http(tracker.url());
  }

  private static TrackerHttp http(URI base) {
    return new TrackerHttp(
        base,
        () -> Map.of("Authorization", "Bearer " + TOKEN),
        InstantSource.fixed(NOW),
        new TrackerLimits());
  }

  /** Uses the shortest limit within which a busy machine delivers the request at all. */
  private TrackerFailure givenUp(FaultReply reply) {
    TrackerHttp http = http();
    for (int millis = 300; ; millis *= 3) {
      tracker.forget();
      tracker.then(reply);
      RequestPermission permission = leaveFor(Duration.ofMillis(millis));
      TrackerFailure failure = failureOf(() -> http.get("/", permission));
      boolean early =
          tracker.requests().isEmpty()
              || (reply instanceof FaultReply.Dripping && !failure.reason().contains("its answer"));
      if (!early || millis > 20_000) {
        return failure;
      }
    }
  }

  private static RequestPermission leaveFor(Duration limit) {
    return new RequestPermission() {
      @Override
      public void check() {}

      @Override
      public Duration limit() {
        return limit;
      }
    };
  }
}
