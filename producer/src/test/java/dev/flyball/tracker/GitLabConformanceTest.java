package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** GitLab as docs.gitlab.com describes its lists of issues and notes; not recorded. */
class GitLabConformanceTest extends SourceConformance {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00.250Z");

  @Override
  protected SourceConfig config(URI url, Credential token) {
    return TestSources.gitLab(url, token);
  }

  @Override
  protected Instant now() {
    return FIRST.plusSeconds(60);
  }

  @Override
  protected Places places() {
    return new Places(
        "12",
        "/api/v4/user",
        "/id",
        "/api/v4/projects/acme%2Fweb/issues/12/notes",
        "",
        "/api/v4/projects/acme%2Fweb/issues/12/notes/",
        "/author/id",
        "body");
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    return linked(request, stock, "updated_after", GitLabConformanceTest::issue);
  }

  private static ObjectNode issue(int number) {
    return ((ObjectNode)
            RecordJson.parse(
                """
                {"state": "opened", "labels": ["bug", "priority::high"], "issue_type": "test_case",
                 "assignees": [{"id": 3, "username": "ann"}], "user_notes_count": 1}\
                """))
        .put("id", 1_000 + number)
        .put("iid", number)
        .put("title", "Issue " + number)
        .put("description", "It *fails*")
        .put("web_url", "https://gitlab.example/acme/web/-/issues/" + number)
        .put("updated_at", FIRST.plusSeconds(10L * number).toString());
  }

  @Test
  void anIssueIsReadByItsFields() {
    RawItem item = source().poll(null, RequestPermission.GRANTED).items().getFirst();

    assertThat(item.key()).isEqualTo(ItemKey.parse("acme/gitlab/1"));
    assertThat(item.priority()).isEqualTo(2);
    assertThat(item.type()).isEqualTo("Test case");
    assertThat(item.assignees()).containsExactly("ann");
    assertThat(item.closed()).isFalse();
  }

  /** By the numbers of its project, not by the ids of the server, in one request. */
  @Test
  void whatIsNotListedAnyMoreIsGone() {
    tracker().otherwise(request -> FaultReply.json("[" + issue(2) + "]"));
    var keys = List.of(ItemKey.parse("acme/gitlab/1"), ItemKey.parse("acme/gitlab/2"));

    Revisited seen = source().revisit(keys, RequestPermission.GRANTED);

    assertThat(seen.gone()).containsExactly(keys.getFirst());
    assertThat(tracker().requests())
        .singleElement()
        .extracting(FaultRequest::target)
        .asString()
        .startsWith("/api/v4/projects/acme%2Fweb/issues?")
        .endsWith("&iids%5B%5D=1&iids%5B%5D=2");
  }

  @Test
  void whereAnIssueHasNoNumberNoneIsGone() {
    tracker().otherwise(request -> FaultReply.json("[{\"title\": \"It fails\"}]"));

    Revisited seen =
        source().revisit(List.of(ItemKey.parse("acme/gitlab/1")), RequestPermission.GRANTED);

    assertThat(seen.gone()).as("it may be this one").isEmpty();
  }

  /** Neither what GitLab writes of a change, nor what fewer people see, nor what programs say. */
  @Test
  void onlyWhatPeopleSaidToAllIsAComment() {
    String notes =
        """
        [{"id": 5, "body": "me too", "author": {"username": "bob"}, "created_at": "2026-02-10T09:00:00Z"},
         {"id": 4, "body": "secret", "author": {"username": "bob"}, "internal": true},
         {"id": 3, "body": "secret", "author": {"username": "bob"}, "confidential": true},
         {"id": 2, "body": "closed", "author": {"username": "bob"}, "system": true},
         {"id": 1, "body": "built", "author": {"username": "project_7_bot_1f"}}]\
        """;
    RawItem item = read(source(), null).items().getFirst();
    tracker().otherwise(request -> FaultReply.json(notes));

    assertThat(source().comments(item, RequestPermission.GRANTED))
        .extracting(HumanComment::text)
        .containsExactly("me too");
  }
}
