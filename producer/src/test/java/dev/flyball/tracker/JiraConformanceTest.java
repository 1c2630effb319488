package dev.flyball.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Jira Cloud as developer.atlassian.com describes its search; written by us, not recorded. */
class JiraConformanceTest extends SourceConformance {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00Z");
  private static final Pattern SINCE = Pattern.compile("updated >= (\\d+)");
  static final int PAGE = 2;

  @Override
  protected SourceConfig config(URI url, Credential token) {
    return TestSources.jira(url, "me@acme.example", token);
  }

  @Override
  protected Instant now() {
    return FIRST.plusSeconds(540);
  }

  @Override
  protected Places places() {
    return new Places(
        "12",
        "/rest/api/3/myself",
        "/accountId",
        "/rest/api/3/issue/12/comment",
        "/comments",
        "/rest/api/3/issue/12/comment/",
        "/author/accountId",
        "body");
  }

  @Override
  protected Optional<OpenApiCheck> description() {
    return Optional.of(OpenApiCheck.of("jira.json"));
  }

  @Override
  protected Set<String> ids() {
    return Set.of("ED-1", "ED-2", "ED-3", "ED-4", "ED-5");
  }

  @Override
  protected FaultReply answer(FaultRequest request, Stock stock) {
    if (request.path().endsWith("/mypermissions")) {
      return FaultReply.json("{\"permissions\":{\"BROWSE_PROJECTS\":{\"havePermission\":true}}}");
    }
    JsonNode asked = RecordJson.parse(request.body());
    List<ObjectNode> issues = changed(stock, asked);
    int start = Math.min(issues.size(), asked.path("nextPageToken").asInt(0));
    int end = Math.min(issues.size(), start + PAGE);
    var answer = (ObjectNode) RecordJson.parse("{}");
    answer.set("issues", RecordJson.tree(issues.subList(start, end)));
    answer.put("isLast", end == issues.size());
    if (end < issues.size()) {
      answer.put("nextPageToken", Integer.toString(end));
    }
    return FaultReply.json(answer.toString());
  }

  /** The issues that changed since what a search asks for. */
  static List<ObjectNode> changed(Stock stock, JsonNode asked) {
    Matcher since = SINCE.matcher(asked.path("jql").asText());
    Instant from = Instant.ofEpochMilli(since.find() ? Long.parseLong(since.group(1)) : 0);
    return stocked(stock, JiraConformanceTest::issue, json -> json.without("key")).stream()
        .filter(issue -> !Instant.parse(issue.at("/fields/updated").asText()).isBefore(from))
        .toList();
  }

  static ObjectNode issue(int number) {
    var fields = (ObjectNode) RecordJson.parse("{\"labels\":[]}");
    fields.put("summary", "Issue " + number);
    fields.put("updated", FIRST.plusSeconds(90L * number).toString());
    var issue = (ObjectNode) RecordJson.parse("{}");
    issue.put("id", "1000" + number).put("key", "ED-" + number).set("fields", fields);
    return issue;
  }
}
