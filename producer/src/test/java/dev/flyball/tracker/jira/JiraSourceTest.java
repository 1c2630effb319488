package dev.flyball.tracker.jira;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OpenApiCheck;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JiraSourceTest {
  private static final ItemKey ONE = new ItemKey("acme", "jira", "ED-1");
  private static final ItemKey TWO = new ItemKey("acme", "jira", "ED-2");
  private static final String SEEN =
      "{\"permissions\":{\"BROWSE_PROJECTS\":{\"key\":\"BROWSE_PROJECTS\",\"havePermission\":true}}}";

  @TempDir Path folder;

  @AutoClose private final FaultServer jira = FaultServer.http();
  private Instant now = Instant.parse("2026-02-10T09:00:00Z");
  private JiraSource source;

  @BeforeEach
  void start() throws IOException {
    source = source("me@acme.example");
  }

  @Test
  void aPollAsksForWhatChangedAndAnEmptyOneIsOneRequest() {
    jira.then(FaultReply.json(SEEN), answer(issue("ED-1", "2026-02-10T08:55:00.000+0000")));
    String cursor = read(null).cursor();
    jira.forget();
    jira.then(answer());

    PollResult read = read(cursor);

    assertThat(read.requests()).isEqualTo(1);
    assertThat(read.cursor()).isEqualTo(cursor);
    FaultRequest request = jira.requests().getFirst();
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.target()).isEqualTo("/rest/api/3/search/jql");
    JsonNode body = RecordJson.parse(request.body());
    long since = Instant.parse("2026-02-10T08:45:00Z").toEpochMilli();
    assertThat(body.path("jql").asText())
        .isEqualTo("(project = ED) AND updated >= " + since + " ORDER BY updated ASC");
    assertThat(body.path("fields")).extracting(JsonNode::asText).contains("updated", "status");
    assertThat(body.path("maxResults").asInt()).isEqualTo(100);
    assertThat(body.has("nextPageToken")).isFalse();
  }

  @Test
  void aUserAndTokenAreBasicAndATokenAloneIsABearer() throws IOException {
    jira.then(FaultReply.json(SEEN), answer(), FaultReply.json(SEEN), answer());

    read(null);
    source = source(null);
    read(null);

    byte[] both = "me@acme.example:secret".getBytes(StandardCharsets.UTF_8);
    assertThat(jira.requests().getFirst().header("Authorization"))
        .contains("Basic " + Base64.getEncoder().encodeToString(both));
    assertThat(jira.requests().getLast().header("Authorization")).contains("Bearer secret");
  }

  @Test
  void morePagesWithoutATokenAreMalformed() {
    jira.then(FaultReply.json(SEEN), FaultReply.json("{\"issues\":[],\"isLast\":false}"));

    assertThat(failed().category()).isEqualTo(Category.MALFORMED);
  }

  @Test
  void aTokenThatLeadsToItselfIsMalformed() {
    jira.then(FaultReply.json(SEEN));
    jira.otherwise(request -> FaultReply.json("{\"issues\":[],\"nextPageToken\":\"t\"}"));

    assertThat(failed().category()).isEqualTo(Category.MALFORMED);
    assertThat(jira.requests()).hasSize(3);
  }

  @Test
  void anExpiredTokenIsNoEmptyList() {
    jira.then(FaultReply.json(SEEN.replace("true", "false")));
    assertThat(failed().category()).isEqualTo(Category.AUTH);

    jira.then(
        FaultReply.json(SEEN),
        FaultReply.json(
            200,
            Map.of("X-Seraph-LoginReason", "AUTHENTICATED_FAILED"),
            "{\"issues\":[],\"isLast\":true}"));
    assertThat(failed().category()).isEqualTo(Category.AUTH);
  }

  @Test
  void whetherJiraKnowsUsIsAskedOnceAnHour() {
    jira.then(FaultReply.json(SEEN), answer(), answer());
    String cursor = read(null).cursor();
    assertThat(read(cursor).requests()).isEqualTo(1);

    now = now.plus(Duration.ofHours(2));
    jira.then(FaultReply.json(SEEN), answer());

    assertThat(read(cursor).requests()).isEqualTo(2);
  }

  @Test
  void aRevisitReportsTheStateOfEachIssue() {
    jira.then(answer(issue("ED-1", "2026-02-10T08:00:00.000+0000")), FaultReply.json(SEEN));

    var seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);

    assertThat(seen.items()).extracting(RawItem::key).containsExactly(ONE);
    assertThat(seen.gone()).containsExactly(TWO);
    assertThat(seen.requests()).isEqualTo(2);
    FaultRequest request = jira.requests().getFirst();
    assertThat(request.target()).isEqualTo("/rest/api/3/issue/bulkfetch");
    assertThat(RecordJson.parse(request.body()).path("issueIdsOrKeys"))
        .extracting(JsonNode::asText)
        .containsExactly("ED-1", "ED-2");
    OpenApiCheck.of("jira.json").acceptsRequests(jira.requests());
  }

  @Test
  void anIssueThatMovedToAnotherProjectIsGoneHere() {
    jira.then(answer(issue("OPS-9", "2026-02-10T08:00:00.000+0000")), FaultReply.json(SEEN));

    var seen = source.revisit(List.of(ONE), RequestPermission.GRANTED);

    assertThat(seen.items()).isEmpty();
    assertThat(seen.gone()).containsExactly(ONE);
  }

  @Test
  void whatJiraCouldNotFetchForNowIsNotGone() {
    jira.then(
        FaultReply.json(
            "{\"issues\":[],\"issueErrors\":[{\"id\":\"ED-1\",\"errorMessage\":\"busy\"}]}"),
        FaultReply.json(SEEN));
    var seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);
    assertThat(seen.gone()).containsExactly(TWO);

    jira.then(
        FaultReply.json(
            "{\"issues\":[],\"issueErrors\":[{\"id\":\"10002\",\"errorMessage\":\"busy\"}]}"));
    seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);
    assertThat(seen.gone()).as("it may be any of them").isEmpty();
  }

  @Test
  void ofAnIssueThatCannotBeReadNothingIsSaid() {
    jira.then(answer(issue("ED-1", "once"), issue("ED-2", "2026-02-10T08:00:00.000+0000")));
    var seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);
    assertThat(seen.items()).extracting(RawItem::key).containsExactly(TWO);
    assertThat(seen.gone()).isEmpty();

    jira.then(answer(issue("", "2026-02-10T08:00:00.000+0000")), FaultReply.json(SEEN));
    seen = source.revisit(List.of(ONE, TWO), RequestPermission.GRANTED);
    assertThat(seen.gone()).as("it may be any of them").isEmpty();
  }

  @Test
  void noIssueIsGoneToAnAccountThatSeesNothing() {
    jira.then(answer(), FaultReply.json(SEEN.replace("true", "false")));

    assertThat(failureOf(() -> source.revisit(List.of(ONE), RequestPermission.GRANTED)).category())
        .isEqualTo(Category.AUTH);
  }

  @Test
  void aChangeThatTheIndexShowsLateIsFoundByTheHourlyCheck() {
    String early = issue("ED-1", "2026-02-10T08:55:00.000+0000");
    String late = issue("ED-2", "2026-02-10T05:40:00.000+0000");
    jira.then(FaultReply.json(SEEN), answer(early));
    String cursor = read(null).cursor();
    now = now.plus(Duration.ofMinutes(61));
    jira.then(FaultReply.json(SEEN), answer(), answer(late, early), answer(late));

    PollResult read = read(cursor);

    assertThat(read.items()).extracting(RawItem::key).containsExactly(TWO);
    assertThat(read.requests()).isEqualTo(4);
    List<FaultRequest> requests = jira.requests();
    JsonNode check = RecordJson.parse(requests.get(requests.size() - 2).body());
    assertThat(check.path("fields")).extracting(JsonNode::asText).containsExactly("updated");
    assertThat(check.path("jql").asText())
        .contains("updated >= " + now.minus(Duration.ofHours(12)).toEpochMilli())
        .contains("updated < ");
    assertThat(RecordJson.parse(last().body()).path("issueIdsOrKeys"))
        .extracting(JsonNode::asText)
        .containsExactly("ED-2");
  }

  @Test
  void whatALateCheckFoundIsFetchedTwiceAndThenKnown() {
    String late = issue("ED-2", "2026-02-10T05:40:00.000+0000");
    jira.then(FaultReply.json(SEEN), answer(issue("ED-1", "2026-02-10T08:55:00.000+0000")));
    String cursor = read(null).cursor();
    for (int requests : List.of(4, 4, 3)) {
      now = now.plus(Duration.ofMinutes(61));
      jira.then(FaultReply.json(SEEN), answer(), answer(late), answer(late));
      assertThat(read(cursor).requests()).isEqualTo(requests);
    }
  }

  private JiraSource source(@Nullable String user) throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "secret\n");
    return new JiraSource(
        TestSources.jira(jira.url(), user, new Credential.InFile(token)),
        () -> now,
        new TrackerLimits());
  }

  private FaultRequest last() {
    return jira.requests().getLast();
  }

  private PollResult read(@Nullable String cursor) {
    return source.poll(cursor, RequestPermission.GRANTED);
  }

  private TrackerFailure failed() {
    return failureOf(() -> source.poll(null, RequestPermission.GRANTED));
  }

  private static FaultReply answer(String... issues) {
    return FaultReply.json("{\"isLast\":true,\"issues\":[" + String.join(",", issues) + "]}");
  }

  private static String issue(String key, String updated) {
    return "{\"id\":\"10002\",\"key\":\"%s\",\"fields\":{\"summary\":\"x\",\"updated\":\"%s\"}}"
        .formatted(key, updated);
  }
}
