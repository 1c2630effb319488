package dev.flyball.tracker.http;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TestSources;
import java.net.URI;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName(
    "Public reports: an item is read as people see it, and trouble is one line with its fix")
class PublicReportsTest {
  private static final Snapshots SNAPSHOTS =
      new Snapshots(
          ProducerConfig.DEFAULT_TEXT_LIMIT,
          ProducerConfig.DEFAULT_FINGERPRINT_FIELDS,
          SourceRules.DEFAULT);
  private static final String RENAMED =
      "repository acme/web is called acme/shop now; correct sources[].repository";

  @AutoClose private final FaultServer server = FaultServer.http();

  /** What a tracker answers, and the titles and texts that are read, or the line that says why. */
  record Case(
      String name,
      Function<URI, SourceConfig> source,
      Function<FaultRequest, String> answer,
      String right) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    Function<URI, SourceConfig> gitHub = url -> TestSources.gitHub(url, new Credential.None());
    Function<URI, SourceConfig> jira = url -> TestSources.jira(url, null, new Credential.None());
    return Stream.of(
        new Case(
            "titles without a visible character",
            gitHub,
            _ -> "[%s,%s,%s]".formatted(issue("\u3000\u3000"), issue("\u200b"), issue("&nbsp;")),
            "(no title)=x (no title)=x &nbsp;=x"),
        new Case(
            "pages that are too large",
            gitHub,
            request ->
                String.valueOf(request.query().get("per_page")).length() > 2
                    ? "502"
                    : "[" + issue("b") + "]",
            "b=x"),
        new Case(
            "a last page that names another one",
            jira,
            request ->
                request.body().contains("nextPageToken")
                    ? found(2, 2, "\"isLast\":true")
                    : found(1, 1, "\"isLast\":true,\"nextPageToken\":\"t2\""),
            "J-1= J-2="),
        new Case(
            "a total of more than the only page has",
            jira,
            _ -> found(1, 100, "\"startAt\":0,\"maxResults\":100,\"total\":240"),
            "Jira: the search says that there are more pages but not how to ask for them; asked"
                + " again"),
        new Case(
            "fields of two formats",
            url ->
                TestSources.azure(
                    url + "/org/P", "SELECT [a] FROM WorkItems", new Credential.None()),
            request ->
                request.path().endsWith("/wiql")
                    ? "{\"workItems\":[{\"id\":1}]}"
                    : """
                    {"value":[{"id":1,"rev":3,"fields":{"System.Id":1,"System.Title":"a",
                    "System.ChangedDate":"2026-11-20T08:00:00Z",
                    "System.Description":"<div>Use `&lt;T&gt;` here</div>",
                    "Microsoft.VSTS.Common.AcceptanceCriteria":"- ok"},
                    "multilineFieldsFormat":{"System.Description":"html",
                    "Microsoft.VSTS.Common.AcceptanceCriteria":"markdown"}}]}
                    """,
            "a=Use `<T>` here\n\n## Acceptance criteria\n- ok"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void itIsReadAsPeopleSeeIt(Case row) {
    server.otherwise(request -> {
      String answer = row.answer.apply(request);
      return answer.equals("502") ? FaultReply.page(502, "<html>") : FaultReply.json(answer);
    });

    assertThat(read(open(row.source.apply(server.url())))).isEqualTo(row.right);
  }

  @Test
  void aRenamedRepositoryIsReadAndNamed() {
    server.otherwise(PublicReportsTest::renamed);

    assertThat(read(gitHub())).isEqualTo("a=x " + RENAMED);
  }

  @Test
  void anExpiredTokenIsNamed() {
    server.then(FaultReply.json(401, "{\"message\":\"Bad credentials\"}"));

    assertThat(read(gitHub()))
        .isEqualTo(
            "GET %s/repos/acme/web/issues answered 401 (Bad credentials); the credential is"
                + " missing, wrong or expired; provide a valid one",
            server.url().getAuthority());
  }

  @Test
  void aProxyThatAsksForAPasswordIsNamed() {
    server.otherwise(
        _ -> FaultReply.status(407, Map.of("Proxy-Authenticate", "Basic realm=\"office\"")));

    assertThat(throughProxy("https://tracker.example/issues"))
        .isEqualTo(
            "GET tracker.example/issues answered 407; the proxy asks for a password; name one that"
                + " asks for none in HTTPS_PROXY");
  }

  @Test
  void aPageOfAProxyThatReachesNoTrackerIsNamed() {
    server.then(FaultReply.page(502, "<html><h1>502 Bad Gateway</h1>"));

    assertThat(throughProxy("http://tracker.example/issues"))
        .isEqualTo(
            "GET tracker.example/issues answered 502; a proxy or gateway got no answer from the"
                + " server: it is asked again later; check the tracker's status page, and the proxy"
                + " if HTTPS_PROXY names one");
  }

  private String throughProxy(String address) {
    String proxy = server.url().toString();
    var environment = Map.of("HTTPS_PROXY", proxy, "HTTP_PROXY", proxy);
    var request = new TrackerHttp.Request("GET", "/", Map.of(), null, Set.of(), false);
    var exchange =
        new Exchange(
            request,
            URI.create(address),
            Map.of(),
            TrackerHttp.LIMIT,
            System.nanoTime() + TrackerHttp.LIMIT.toNanos());
    return failureOf(() ->
            exchange
                .send(EnvironmentProxy.client(environment))
                .answer(exchange, InstantSource.system().instant()))
        .reason();
  }

  private Source gitHub() {
    return open(TestSources.gitHub(server.url(), new Credential.None()));
  }

  private static Source open(SourceConfig config) {
    return config.open(InstantSource.system(), new TrackerLimits());
  }

  private static String read(Source source) {
    try {
      PollResult read = source.poll(null, RequestPermission.GRANTED);
      Stream<String> items =
          read.items().stream()
              .map(item -> SNAPSHOTS.of(item, true))
              .map(it -> it.title() + "=" + it.text());
      Stream<String> invalid = read.invalid().stream().map(PollResult.Unread::text);
      return Stream.of(items, invalid, Stream.ofNullable(read.notRead()))
          .flatMap(it -> it)
          .collect(Collectors.joining(" "));
    } catch (SourceFailure e) {
      return e.failure().reason();
    }
  }

  private static FaultReply renamed(FaultRequest request) {
    String old = "/repos/acme/web";
    return request.path().startsWith(old)
        ? FaultReply.redirect(301, "/repositories/9" + request.path().substring(old.length()))
        : FaultReply.json("[" + issue("a") + "]");
  }

  private static String issue(String title) {
    return """
    {"number":%d,"title":"%s","body":"x","state":"open","updated_at":"2026-11-20T08:00:00Z",
    "repository_url":"https://api.github.com/repos/acme/shop"}\
    """
        .formatted(title.codePointAt(0), title)
        .replace("acme/shop", title.equals("a") ? "acme/shop" : "acme/web");
  }

  private static String found(int from, int to, String end) {
    return IntStream.rangeClosed(from, to)
        .mapToObj(
            """
            {"key":"J-%1$d","fields":{"summary":"J-%1$d","updated":"2026-11-20T08:00:00Z"}}\
            """
                ::formatted)
        .collect(Collectors.joining(",", "{\"issues\":[", "]," + end + "}"));
  }
}
