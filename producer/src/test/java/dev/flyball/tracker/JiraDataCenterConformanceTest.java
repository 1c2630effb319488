package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Jira Data Center as Atlassian describes version 2 of its REST; written by us, not recorded. */
class JiraDataCenterConformanceTest extends JiraConformanceTest {
  @Override
  protected SourceConfig config(URI url, Credential token) {
    return TestSources.jiraDataCenter(url, token);
  }

  @Override
  protected Places places() {
    return new Places(
        "ED-12",
        "/rest/api/2/myself",
        "/key",
        "/rest/api/2/issue/ED-12/comment",
        "/comments",
        "/rest/api/2/issue/ED-12/comment/",
        "/author/key",
        "body");
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.empty();
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    if (request.path().endsWith("/myself")) {
      return FaultReply.json("{\"key\":\"JIRAUSER10100\"}");
    }
    JsonNode asked = RecordJson.parse(request.body());
    List<ObjectNode> issues = changed(stock, asked);
    int start = Math.min(issues.size(), asked.path("startAt").asInt());
    return found(issues.subList(start, Math.min(issues.size(), start + PAGE)), issues.size());
  }

  private static FaultReply found(List<ObjectNode> issues, int total) {
    return FaultReply.json("{\"total\":" + total + ",\"issues\":" + issues + "}");
  }

  /** Wiki markup is read as the server's own page shows it. */
  @Test
  void anIssueAndItsCommentsAreReadAsItsPageShowsThem() {
    ObjectNode issue = issue(1);
    issue.withObject("/fields").put("description", "h1. It {{fails}}");
    issue.withObject("/renderedFields").put("description", "<h1>It <tt>fails</tt></h1>");
    String comments =
        """
        {"comments": [
          {"id": "2", "body": "*me* too", "renderedBody": "<p><b>me</b> too</p>",
           "author": {"key": "JIRAUSER1", "name": "ann", "displayName": "Ann"}},
          {"id": "1", "body": "secret", "renderedBody": "<p>secret</p>",
           "visibility": {"type": "role", "value": "Developers"}}]}\
        """;
    tracker()
        .otherwise(request ->
            request.path().endsWith("/comment")
                ? FaultReply.json(comments)
                : request.path().endsWith("/search")
                    ? found(List.of(issue), 1)
                    : FaultReply.json("{}"));
    Source source = source();

    RawItem item = read(source, null).items().getFirst();

    assertThat(item.description()).isEqualTo("<h1>It <tt>fails</tt></h1>");
    assertThat(item.markup()).isEqualTo(Markup.HTML);
    assertThat(item.url()).isEqualTo(tracker().url() + "/browse/ED-1");
    assertThat(source.comments(item, RequestPermission.GRANTED))
        .extracting(HumanComment::author, HumanComment::text)
        .containsExactly(tuple("Ann", "me too"));
  }

  /** A search index that lacks an issue is no proof: the issue itself is asked for. */
  @Test
  void anIssueIsGoneWhenItselfIsNotThere() {
    List<ItemKey> keys =
        Stream.of("ED-1", "ED-2", "ED-3").map(id -> new ItemKey("acme", "jira", id)).toList();
    tracker()
        .otherwise(request ->
            switch (request.path()) {
              case "/rest/api/2/search" -> found(List.of(issue(1)), 1);
              case "/rest/api/2/issue/ED-2" -> FaultReply.json("{\"key\": \"ED-2\"}");
              case "/rest/api/2/myself" -> FaultReply.json("{}");
              default -> FaultReply.json(404, "{\"errorMessages\": [\"Issue Does Not Exist\"]}");
            });

    var seen =
        source(tracker().url(), new Credential.None()).revisit(keys, RequestPermission.GRANTED);

    assertThat(seen.items()).extracting(RawItem::key).containsExactly(keys.getFirst());
    assertThat(seen.gone()).containsExactly(keys.getLast());
    assertThat(RecordJson.parse(tracker().requests().getFirst().body()).path("validateQuery"))
        .as("keys that do not exist are no error")
        .isEqualTo(RecordJson.parse("false"));
  }
}
