package dev.flyball.tracker.linear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConformance;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Linear as linear.app/developers and its schema describe it; written by us, not recorded. */
class LinearSourceTest extends SourceConformance {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00.250Z");
  private static final String PEOPLE =
      """
      [{"body": "me too", "createdAt": "2026-02-10T09:00:00Z", "user": {"displayName": "bob"}},
       {"body": "here", "createdAt": "2026-02-10T10:00:00Z", "externalUser": {"displayName": "cleo"}},
       {"body": "built", "createdAt": "2026-02-10T11:00:00Z", "botActor": {"type": "ci"}},
       {"body": "done", "createdAt": "2026-02-10T12:00:00Z", "user": {"app": true}}]\
      """;

  @Override
  protected SourceConfig config(URI url, Credential token) {
    var identity = new SourceConfig.Identity("acme", "web", SourceConfig.DEFAULT_INTERVAL);
    return new SourceConfig.Linear(identity, SourceRules.DEFAULT, url, "ENG", token);
  }

  @Override
  protected Set<String> ids() {
    return Set.of("ENG-1", "ENG-2", "ENG-3", "ENG-4", "ENG-5");
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    JsonNode asked = RecordJson.parse(request.body()).path("variables");
    String from = asked.at("/filter/updatedAt/gte").asText("");
    List<ObjectNode> issues =
        stocked(stock, LinearSourceTest::issue, json -> json.putNull("title")).stream()
            .filter(it -> it.path("updatedAt").asText().compareTo(from) >= 0)
            .toList();
    int begin = Math.min(issues.size(), asked.path("after").asInt(0));
    int to = Math.min(issues.size(), begin + 2);
    return listed(issues.subList(begin, to), to < issues.size() ? Integer.toString(to) : null);
  }

  private static FaultReply listed(List<ObjectNode> issues, @Nullable String next) {
    return data(
        """
        {"teams": {"nodes": [{"key": "ENG"}]},
         "issues": {"nodes": %s, "pageInfo": {"hasNextPage": %s, "endCursor": "%s"}}}\
        """
            .formatted(issues, next != null, next));
  }

  private static FaultReply data(String data) {
    return FaultReply.json("{\"data\": " + data + "}");
  }

  private static FaultReply discussion(Object comments) {
    return data("{\"issue\": {\"comments\": {\"nodes\": " + comments + "}}}");
  }

  private static ObjectNode issue(int number) {
    return (ObjectNode)
        RecordJson.parse(
            """
            {"identifier": "ENG-%1$d", "title": "Issue %1$d", "description": "It *fails*", "priority": 2,
             "url": "https://linear.example/ENG-%1$d", "updatedAt": "%2$s", "archivedAt": null,
             "state": {"name": "In Progress", "type": "started"},
             "assignee": {"id": "u1", "name": "Ann Doe", "displayName": "ann", "email": "a@x.example"},
             "labels": {"nodes": [{"name": "bug"}]}}\
            """
                .formatted(number, FIRST.plusSeconds(10L * number)));
  }

  @Override
  protected Places places() {
    return new Places(
        "ENG-12", "", "/viewer/id", "", "/issue/comments/nodes", "", "/user/id", "body");
  }

  @Override
  protected FaultReply comments(FaultRequest request) {
    JsonNode asked = RecordJson.parse(request.body());
    String query = asked.path("query").asText();
    JsonNode variables = asked.path("variables");
    if (query.contains("viewer")) {
      return data(account().toString());
    }
    if (query.contains("commentCreate")) {
      return data("{\"commentCreate\": {\"comment\": " + add(variables.path("body")) + "}}");
    }
    if (query.contains("commentUpdate")) {
      return edit(variables.path("id").asInt(), variables.path("body"))
          ? data("{\"commentUpdate\": {\"success\": true}}")
          : FaultReply.json(error("FORBIDDEN"));
    }
    return discussion(shown());
  }

  private static String error(String code) {
    return "{\"errors\": [{\"message\": \"no\", \"extensions\": {\"code\": \"" + code + "\"}}]}";
  }

  @Test
  void anIssueIsReadByItsFields() {
    RawItem item = read(source(), null).items().getFirst();

    assertThat(item.key()).isEqualTo(ItemKey.parse("acme/web/ENG-1"));
    assertThat(item.tags()).containsExactly("bug");
    assertThat(item.assignees()).containsExactly("u1", "Ann Doe", "ann", "a@x.example");
  }

  /** A priority of 0 is none. */
  @ParameterizedTest
  @CsvSource({
    "'\"priority\": 0', false, 3",
    "'\"state\": {\"name\": \"Shipped\", \"type\": \"completed\"}', true, 2",
    "'\"archivedAt\": \"2026-02-10T09:00:00Z\"', true, 2",
    "'\"trashed\": true', true, 2",
  })
  void whatIsDoneArchivedOrInTheBinIsClosed(String field, boolean closed, int priority) {
    ObjectNode issue = issue(1).setAll((ObjectNode) RecordJson.parse("{" + field + "}"));
    tracker().otherwise(request -> listed(List.of(issue), null));

    RawItem item = read(source(), null).items().getFirst();

    assertThat(item.closed()).isEqualTo(closed);
    assertThat(item.priority()).isEqualTo(priority);
  }

  /** The first poll asks for open issues, each later one for all that changed. */
  @Test
  void laterPollsAskForWhatChanged() {
    read(source(), read(source(), null).cursor());

    assertThat(variables(0).at("/filter/state/type/nin")).hasSize(3);
    JsonNode later = variables(tracker().requests().size() - 1);
    assertThat(later.at("/filter/state").isMissingNode()).isTrue();
    assertThat(later.at("/filter/updatedAt/gte").isTextual()).isTrue();
  }

  private JsonNode variables(int request) {
    return RecordJson.parse(tracker().requests().get(request).body()).path("variables");
  }

  /** One of another team never was here. */
  @Test
  void whatIsNotListedAnyMoreIsGone() {
    tracker().otherwise(request -> listed(List.of(issue(2)), null));
    List<ItemKey> keys =
        Stream.of("ENG-1", "ENG-2", "OPS-3").map(id -> new ItemKey("acme", "web", id)).toList();

    Revisited seen = source().revisit(keys, RequestPermission.GRANTED);

    assertThat(seen.items()).extracting(RawItem::key).containsExactly(keys.get(1));
    assertThat(seen.gone()).containsExactlyInAnyOrder(keys.getFirst(), keys.getLast());
    assertThat(variables(0).at("/filter/number/in").toString()).isEqualTo("[1,2]");
  }

  @Test
  void aTeamThatIsNotSeenLosesNoItems() {
    tracker().otherwise(request -> FaultReply.json("{\"data\": {\"teams\": {\"nodes\": []}}}"));
    var keys = List.of(ItemKey.parse("acme/web/ENG-1"));

    assertThat(failed(source()).category()).isEqualTo(Category.NOT_FOUND);
    assertThatThrownBy(() -> source().revisit(keys, RequestPermission.GRANTED))
        .isInstanceOf(SourceFailure.class);
    assertThatThrownBy(() -> source().writer().orElseThrow().check(RequestPermission.GRANTED))
        .hasMessageContaining("no team ENG");
  }

  @Test
  void aListThatBeginsWithTheNewestFails() {
    tracker().otherwise(request -> listed(List.of(issue(3), issue(2)), "2"));

    assertThat(failed(source()).category()).isEqualTo(Category.MALFORMED);
  }

  /** Linear answers errors with 200 or 400 and its own codes. */
  @ParameterizedTest
  @CsvSource({
    "400, RATELIMITED, RATE_LIMITED",
    "200, RATELIMITED, RATE_LIMITED",
    "200, AUTHENTICATION_ERROR, AUTH",
    "200, INTERNAL_SERVER_ERROR, UNREACHABLE",
    "400, GRAPHQL_VALIDATION_FAILED, NOT_FOUND",
    "200, INPUT_ERROR, NOT_FOUND"
  })
  void errorsHaveTheirCategories(int status, String code, Category category) {
    tracker()
        .otherwise(request -> FaultReply.json(status, Map.of("Retry-After", "90"), error(code)));

    var failure = failed(source());

    assertThat(failure.category()).isEqualTo(category);
    assertThat(failure.reason()).contains(code);
    assertThat(failure.retryAfter()).hasSeconds(90);
  }

  @Test
  void aQueryThatIsTooComplexAsksForLess() {
    tracker().then(FaultReply.json(400, "{\"errors\": [{\"message\": \"Query too complex\"}]}"));

    read(source(), null);

    assertThat(variables(0).path("first").asInt()).isEqualTo(50);
    assertThat(variables(1).path("first").asInt()).isEqualTo(25);
  }

  @Test
  void aPersonalKeyIsNoBearerToken() {
    assertThat(LinearSource.header("lin_api_1")).isEqualTo("lin_api_1");
    assertThat(LinearSource.header("lin_oauth_1")).isEqualTo("Bearer lin_oauth_1");
  }

  @Test
  void onlyWhatPeopleSaidIsAComment() {
    RawItem item = read(source(), null).items().getFirst();
    tracker().otherwise(request -> discussion(PEOPLE));

    assertThat(source().comments(item, RequestPermission.GRANTED))
        .extracting(HumanComment::author, HumanComment::text)
        .containsExactly(tuple("cleo", "here"), tuple("bob", "me too"));
  }
}
