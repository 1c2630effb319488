package dev.flyball.tracker;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.http.TrackerLimits;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

  @AutoClose private final FaultServer tracker = FaultServer.http();

  /**
   * What a tracker answers.
   *
   * @param count how many comments the item has
   * @param replies to its requests, one each
   * @param description of its interface; empty without one
   */
  record Row(
      Function<URI, SourceConfig> source,
      int count,
      List<String> replies,
      List<String> targets,
      String description) {}

  private static Stream<Row> trackers() {
    String gitHub =
        """
        [{"user":{"login":"anna","type":"User"},"created_at":"2026-02-10T09:00:00Z",
          "body":"It fails since 2.1.<!-- x -->"},
         {"user":{"login":"ci","type":"Bot"},"created_at":"2026-02-10T09:10:00Z","body":"Failed."},
         {"user":{"login":"us","type":"User"},"created_at":"2026-02-10T09:20:00Z","body":"%s"},
         {"user":{"login":"bob","type":"User"},"created_at":"2026-02-10T09:30:00Z",
          "body":"Only on Mondays."}]\
        """
            .formatted(OURS);
    String jira =
        """
        {"total":5,"comments":[
         {"author":{"displayName":"bob"},"created":"2026-02-10T09:30:00.000+0000","body":
          {"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Only on Mondays."}]}]}},
         {"author":{"displayName":"Automation","accountType":"app"},"body":{"type":"doc"}},
         {"author":{"displayName":"eve"},"body":{"type":"doc"},"visibility":{"type":"role"}},
         {"author":{"displayName":"eve"},"body":{"type":"doc"},"jsdPublic":false},
         {"author":{"displayName":"anna"},"created":"2026-02-10T09:00:00.000+0000","visibility":null,"body":
          {"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"It fails since 2.1."}]}]}}]}\
        """;
    String azure =
        """
        {"comments":[
         {"createdBy":{"displayName":"bob","descriptor":"aad.Ym9i"},"createdDate":"2026-02-10T09:30:00Z",
          "text":"<div>Only on <i>Mondays</i>.</div>"},
         {"createdBy":{"displayName":"Build","descriptor":"svc.YnVpbGQ"},"text":"Build 7 failed."},
         {"createdBy":{"displayName":"anna","descriptor":"aad.YW5uYQ"},"createdDate":"2026-02-10T09:00:00Z",
          "text":"It fails since 2.1."}]}\
        """;
    String redmine =
        """
        {"issue":{"journals":[
         {"user":{"name":"anna"},"created_on":"2026-02-10T09:00:00Z","notes":"It fails since 2.1."},
         {"user":{"name":"eve"},"notes":"The customer is Acme.","private_notes":true},
         {"user":{"name":"eve"},"notes":""},
         {"user":{"name":"bob"},"created_on":"2026-02-10T09:30:00Z","notes":"Only on Mondays."}]}}\
        """;
    String issue = "/repos/acme/web/issues/7/comments?per_page=100&page=";
    String item = "/org/project/_apis/wit/workItems/7/comments?$top=50&order=desc";
    return Stream.of(
        new Row(
            HumanCommentTest::gitHub,
            104,
            List.of(gitHub, "[]"),
            List.of(issue + "2", issue + "1"),
            "github.json"),
        new Row(
            url -> TestSources.jira(url, null, NONE),
            RawItem.UNCOUNTED,
            List.of(jira),
            List.of("/rest/api/3/issue/7/comment?orderBy=-created&maxResults=100"),
            "jira.json"),
        new Row(
            HumanCommentTest::azure,
            3,
            List.of(azure),
            List.of(item + "&api-version=7.1-preview.4"),
            ""),
        new Row(
            url -> TestSources.redmine(url, NONE),
            RawItem.UNCOUNTED,
            List.of(redmine),
            List.of("/issues/7.json?include=journals"),
            "redmine.json"));
  }

  /** The newest first, without those of programs, ours, and those that not everyone may read. */
  @ParameterizedTest
  @MethodSource("trackers")
  void whatPeopleSaidToAllIsRead(Row row) {
    row.replies.forEach(reply -> tracker.then(FaultReply.json(reply)));

    assertThat(read(row.source, row.count)).containsExactly(BOB, ANNA);
    assertThat(tracker.requests()).extracting(FaultRequest::target).isEqualTo(row.targets);
    if (!row.description.isEmpty()) {
      OpenApiCheck.of(row.description).acceptsRequests(tracker.requests());
    }
  }

  @Test
  void anIssueWithoutCommentsCostsNoRequest() {
    assertThat(read(HumanCommentTest::gitHub, 0)).isEmpty();
    assertThat(read(HumanCommentTest::azure, 0)).isEmpty();
    assertThat(tracker.requests()).isEmpty();
  }

  @Test
  void noneIsAskedForWhileTheTrackerAsksForAPause() {
    tracker.otherwise(request -> FaultReply.json(200, Map.of("Retry-After", "60"), "[]"));
    Source gitHub = gitHub(tracker.url()).open(CLOCK, new TrackerLimits());
    read(gitHub, 1);

    assertThat(failureOf(() -> read(gitHub, 1)).category())
        .isEqualTo(TrackerFailure.Category.RATE_LIMITED);
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

  private List<HumanComment> read(Function<URI, SourceConfig> source, int count) {
    return read(source.apply(tracker.url()).open(CLOCK, new TrackerLimits()), count);
  }

  private static List<HumanComment> read(Source source, int count) {
    var item = RawItem.of(new ItemKey("acme", "web", "7"), "It fails").comments(count).build();
    return source.comments(item, RequestPermission.GRANTED);
  }

  private static SourceConfig gitHub(URI url) {
    return TestSources.gitHub(url, NONE);
  }

  private static SourceConfig azure(URI url) {
    return TestSources.azure(url + "/org/project", "SELECT [System.Id] FROM WorkItems", NONE);
  }
}
