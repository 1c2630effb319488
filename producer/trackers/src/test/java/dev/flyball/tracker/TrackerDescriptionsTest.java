package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.jira.JiraSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks every type of request of GitHub's and Jira's sources, pages and revisits too, against the
 * tracker's description: GitHub's published one, and ours of Jira.
 */
class TrackerDescriptionsTest {
  private static final InstantSource CLOCK = () -> Instant.parse("2026-02-10T10:00:00Z");
  private static final String JIRA_SEARCH = "/rest/api/3/search/jql";

  @TempDir Path folder;

  private final FaultServer tracker = FaultServer.http();

  @AfterEach
  void close() {
    tracker.close();
  }

  @Test
  void gitHub() throws IOException {
    OpenApiCheck description = OpenApiCheck.of("github.json");
    String list = resource("/trackers/github-issues.json");
    tracker.otherwise(request -> FaultReply.json(list));
    tracker.then(
        FaultReply.json(
            200,
            Map.of("Link", "<" + tracker.url() + "/repos/acme/web/issues?page=2>; rel=\"next\""),
            list));
    var source =
        new GitHubSource(
            new SourceConfig.GitHub(
                identity(), SourceRules.DEFAULT, tracker.url(), "acme/web", token()),
            CLOCK,
            new TrackerLimits());

    String cursor = ((PollResult.Read) source.poll(null, RequestPermission.GRANTED)).cursor();
    assertThat(source.poll(cursor, RequestPermission.GRANTED)).isInstanceOf(PollResult.Read.class);
    tracker.then(FaultReply.json(410, "{}"));
    assertThat(source.revisit(List.of(key("7")), RequestPermission.GRANTED))
        .isInstanceOf(Revisited.Seen.class);

    assertThat(tracker.requests()).hasSize(5);
    description.acceptsRequests(tracker.requests());
  }

  @Test
  void jira() throws IOException {
    OpenApiCheck description = OpenApiCheck.of("jira.json");
    String search = resource("/trackers/jira-search.json");
    description.acceptsAnswer("POST", JIRA_SEARCH, 200, search);
    String permissions =
        "{\"permissions\":{\"BROWSE_PROJECTS\":{\"key\":\"BROWSE_PROJECTS\",\"havePermission\":true}}}";
    description.acceptsAnswer("GET", "/rest/api/3/mypermissions", 200, permissions);
    tracker.otherwise(
        request -> FaultReply.json(request.path().endsWith("permissions") ? permissions : search));
    tracker.then(
        FaultReply.json(permissions),
        FaultReply.json("{\"issues\":[],\"isLast\":false,\"nextPageToken\":\"t2\"}"));
    var source =
        new JiraSource(
            new SourceConfig.Jira(
                identity(),
                SourceRules.DEFAULT,
                tracker.url(),
                "project = ED",
                "me@acme.example",
                token()),
            CLOCK,
            new TrackerLimits());

    String cursor = ((PollResult.Read) source.poll(null, RequestPermission.GRANTED)).cursor();
    assertThat(source.poll(cursor, RequestPermission.GRANTED)).isInstanceOf(PollResult.Read.class);
    var seen =
        (Revisited.Seen)
            source.revisit(List.of(key("ED-1"), key("ED-9")), RequestPermission.GRANTED);

    assertThat(seen.gone()).containsExactly(key("ED-9"));
    assertThat(tracker.requests()).anyMatch(request -> request.body().contains("nextPageToken"));
    description.acceptsRequests(tracker.requests());
  }

  @Test
  void ourDescriptionOfJiraRefusesWhatJiraDoes() {
    OpenApiCheck description = OpenApiCheck.of("jira.json");

    assertThat(description.problems(post(JIRA_SEARCH, "{\"jql\":\"a = b\",\"startAt\":0}")))
        .isNotEmpty();
    assertThat(description.problems(post(JIRA_SEARCH, "{\"jql\":[\"a = b\"]}"))).isNotEmpty();
    assertThat(description.problems(post("/rest/api/3/search", "{\"jql\":\"a = b\"}")))
        .as("removed")
        .isNotEmpty();
    assertThat(description.problems("POST", JIRA_SEARCH, 200, "{\"issues\":{}}")).isNotEmpty();
  }

  private static FaultRequest post(String target, String body) {
    return new FaultRequest("POST", target, Map.of("content-type", "application/json"), body, 0, 0);
  }

  private static SourceConfig.Identity identity() {
    return new SourceConfig.Identity("acme", "main", SourceConfig.DEFAULT_INTERVAL);
  }

  private static ItemKey key(String id) {
    return new ItemKey("acme", "main", id);
  }

  private Credential token() throws IOException {
    return new Credential.InFile(Files.writeString(folder.resolve("token"), "secret\n"));
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = TrackerDescriptionsTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
