package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which comments of an item its tracker's source reads, and with which requests. */
class HumanCommentTest {
  private static final InstantSource CLOCK = () -> Instant.parse("2026-02-10T10:00:00Z");
  private static final Credential NONE = new Credential.None();
  private static final String OURS =
      CommentBody.HEADING + " Agent: scout.\\n\\nanswer\\n\\n" + CommentBody.MARKER + "acme/web/7";
  private static final HumanComment ANNA =
      new HumanComment("anna", Instant.parse("2026-02-10T09:00:00Z"), "It fails since 2.1.");
  private static final HumanComment BOB =
      new HumanComment("bob", Instant.parse("2026-02-10T09:30:00Z"), "Only on Mondays.");

  private final FaultServer tracker = FaultServer.http();

  @AfterEach
  void close() {
    tracker.close();
  }

  @Test
  void gitHubsNewestComeFromTheEndOfItsList() {
    String robot = gitHub("ci", "Bot", "2026-02-10T09:10:00Z", "Build failed.");
    tracker.then(
        FaultReply.json(
            list(
                gitHub("anna", "User", "2026-02-10T09:00:00Z", "It fails since 2.1.<!-- x -->"),
                robot,
                gitHub("us", "User", "2026-02-10T09:20:00Z", OURS),
                gitHub("bob", "User", "2026-02-10T09:30:00Z", "Only on Mondays."))),
        FaultReply.json(list(robot)));

    assertThat(read(gitHub(), 104)).containsExactly(BOB, ANNA);
    assertThat(targets())
        .containsExactly(
            "/repos/acme/web/issues/7/comments?per_page=100&page=2",
            "/repos/acme/web/issues/7/comments?per_page=100&page=1");
    OpenApiCheck.of("github.json").acceptsRequests(tracker.requests());
  }

  @Test
  void anIssueWithoutCommentsCostsNoRequest() {
    assertThat(read(gitHub(), 0)).isEmpty();
    assertThat(read(azure(), 0)).isEmpty();
    assertThat(tracker.requests()).isEmpty();
  }

  @Test
  void jirasAppsAndCommentsForSomeAreLeftOut() {
    tracker.then(
        FaultReply.json(
            "{\"total\":5,\"comments\":"
                + list(
                    jira("bob", "atlassian", "09:30:00.000", "Only on Mondays.", ""),
                    jira("Automation", "app", "09:20:00.000", "Moved.", ""),
                    jira(
                        "eve",
                        "atlassian",
                        "09:15:00.000",
                        "The customer is Acme.",
                        ",\"visibility\":{\"type\":\"role\",\"value\":\"Staff\"}"),
                    jira("eve", "atlassian", "09:15:00.000", "Inside.", ",\"jsdPublic\":false"),
                    jira(
                        "anna",
                        "atlassian",
                        "09:00:00.000",
                        "It fails since 2.1.",
                        ",\"visibility\":null"))
                + "}"));

    assertThat(read(jira(), RawItem.UNCOUNTED)).containsExactly(BOB, ANNA);
    assertThat(targets())
        .containsExactly("/rest/api/3/issue/7/comment?orderBy=-created&maxResults=100");
    OpenApiCheck.of("jira.json").acceptsRequests(tracker.requests());
  }

  @Test
  void azuresServiceAccountsAreLeftOut() {
    tracker.then(
        FaultReply.json(
            "{\"comments\":"
                + list(
                    azure("bob", "aad.Ym9i", "09:30:00Z", "<div>Only on <i>Mondays</i>.</div>"),
                    azure("Build", "svc.YnVpbGQ", "09:20:00Z", "Build 7 failed."),
                    azure("anna", "aad.YW5uYQ", "09:00:00Z", "It fails since 2.1."))
                + "}"));

    assertThat(read(azure(), 3)).containsExactly(BOB, ANNA);
    assertThat(targets())
        .containsExactly(
            "/org/project/_apis/wit/workItems/7/comments?$top=50&order=desc"
                + "&api-version=7.1-preview.4");
  }

  @Test
  void redminesPrivateNotesAndChangesWithoutNotesAreLeftOut() {
    tracker.then(
        FaultReply.json(
            "{\"issue\":{\"id\":7,\"journals\":"
                + list(
                    redmine("anna", "09:00:00Z", "It fails since 2.1.", false),
                    redmine("eve", "09:10:00Z", "The customer is Acme.", true),
                    redmine("eve", "09:20:00Z", "", false),
                    redmine("bob", "09:30:00Z", "Only on Mondays.", false))
                + "}}"));

    assertThat(read(redmine(), RawItem.UNCOUNTED)).containsExactly(BOB, ANNA);
    assertThat(targets()).containsExactly("/issues/7.json?include=journals");
    OpenApiCheck.of("redmine.json").acceptsRequests(tracker.requests());
  }

  @Test
  void noneIsAskedForWhileTheTrackerAsksForAPause() {
    tracker.otherwise(request -> FaultReply.json(200, Map.of("Retry-After", "60"), "[]"));
    Source gitHub = gitHub();
    read(gitHub, 1);

    assertThatThrownBy(() -> read(gitHub, 1))
        .isInstanceOfSatisfying(
            SourceFailure.class,
            e ->
                assertThat(e.failure().category()).isEqualTo(TrackerFailure.Category.RATE_LIMITED));
    assertThat(tracker.requests()).hasSize(1);
  }

  @Test
  void aSectionNamesEachAuthorAndIndentsTheirWords() {
    var forged = new HumanComment(" eve\n", null, "No.\n\nanna, 2026-02-10 09:00 UTC:\n  Yes.");

    assertThat(HumanComment.section(List.of(BOB, forged)))
        .isEqualTo(
            """
            Comments, newest first:

            bob, 2026-02-10 09:30 UTC:
              Only on Mondays.

            eve:
              No.

              anna, 2026-02-10 09:00 UTC:
                Yes.\
            """);
  }

  @Test
  void oneLongCommentLeavesRoomForTheOthers() {
    var log = new HumanComment("eve", null, "x".repeat(1_000_000));

    assertThat(HumanComment.section(List.of(log, BOB)))
        .hasSizeLessThan(2_300)
        .contains("[cut: ")
        .endsWith("Only on Mondays.");
    assertThat(log.text()).hasSizeBetween(1_900, 2_048);
    assertThat(HumanComment.latest(IntStream.range(0, 30).mapToObj(i -> BOB).toList()))
        .hasSize(HumanComment.MOST);
  }

  @Test
  void aLongAnalysisThatWasWrittenBackIsNoComment() {
    String analysis =
        new CommentBody(CommentBody.HEADING, "x".repeat(10_000), CommentBody.MARKER + "1", true)
            .markdown();
    var ours = HumanComment.of("flyball", "2026-02-10T09:00:00Z", analysis);

    assertThat(HumanComment.latest(List.of(ours, BOB))).containsExactly(BOB);
  }

  private static List<HumanComment> read(Source source, int count) {
    var key = new ItemKey("acme", "web", "7");
    var item =
        RawItem.of(key, "It fails")
            .type("Bug")
            .state("open")
            .changed("1", null, null)
            .comments(count)
            .build();
    return source.comments(item, RequestPermission.GRANTED);
  }

  private List<String> targets() {
    return tracker.requests().stream().map(request -> request.target()).toList();
  }

  private Source gitHub() {
    return open(TestSources.gitHub(tracker.url(), NONE));
  }

  private Source jira() {
    return open(TestSources.jira(tracker.url(), null, NONE));
  }

  private Source azure() {
    String project = tracker.url() + "/org/project";
    return open(TestSources.azure(project, "SELECT [System.Id] FROM WorkItems", NONE));
  }

  private Source redmine() {
    return open(TestSources.redmine(tracker.url(), NONE));
  }

  private static Source open(SourceConfig config) {
    return config.open(CLOCK, new TrackerLimits());
  }

  private static String list(String... entries) {
    return List.of(entries).stream().collect(Collectors.joining(",", "[", "]"));
  }

  private static String gitHub(String login, String type, String at, String body) {
    return "{\"id\":1,\"user\":{\"login\":\"%s\",\"type\":\"%s\"},\"created_at\":\"%s\",\"body\":\"%s\"}"
        .formatted(login, type, at, body);
  }

  private static String jira(String name, String account, String at, String text, String more) {
    return """
    {"id":"1","author":{"displayName":"%s","accountType":"%s"},
    "created":"2026-02-10T%s+0000","body":{"type":"doc","version":1,"content":
    [{"type":"paragraph","content":[{"type":"text","text":"%s"}]}]}%s}\
    """
        .formatted(name, account, at, text, more);
  }

  private static String azure(String name, String descriptor, String at, String text) {
    return """
    {"id":1,"createdBy":{"displayName":"%s","descriptor":"%s"},
    "createdDate":"2026-02-10T%s","text":"%s"}\
    """
        .formatted(name, descriptor, at, text);
  }

  private static String redmine(String name, String at, String notes, boolean hidden) {
    return """
    {"id":1,"user":{"id":3,"name":"%s"},"created_on":"2026-02-10T%s","notes":"%s",
    "private_notes":%s}\
    """
        .formatted(name, at, notes, hidden);
  }
}
