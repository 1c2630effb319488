package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangePages;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The pages of one poll's search. */
final class JiraSearch implements ChangePages<JiraIssue> {
  private static final int PAGE = 100;

  private final TrackerHttp http;
  private final Jql query;
  private final InstantSource clock;
  private final RequestPermission permission;

  /** The query of the page last requested; a next page repeats it. */
  private String text = "";

  /** The fields of the page last requested. */
  private List<String> fields = JiraIssue.FIELDS;

  JiraSearch(TrackerHttp http, Jql query, InstantSource clock, RequestPermission permission) {
    this.http = http;
    this.query = query;
    this.clock = clock;
    this.permission = permission;
  }

  @Override
  public ChangePage<JiraIssue> from(@Nullable Instant since) {
    text = query.text(since);
    fields = JiraIssue.FIELDS;
    return page(body(), "");
  }

  /** The first page of which issues were changed when, from one time to before another. */
  ChangePage<JiraIssue> times(Instant from, Instant to) {
    text = query.between(from, to);
    fields = List.of("updated");
    return page(body(), "");
  }

  /** Issues by their keys. */
  ChangePage<JiraIssue> fetch(List<String> keys) {
    TrackerResponse answer =
        http.send(
            "POST", "/rest/api/3/issue/bulkfetch", JiraRevisit.body(keys), Set.of(), permission);
    JiraLogin.check(answer);
    return page(answer, null);
  }

  @Override
  public ChangePage<JiraIssue> next(String token) {
    return page(body().put("nextPageToken", token), token);
  }

  private ObjectNode body() {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("jql", text).put("maxResults", PAGE);
    fields.forEach(body.putArray("fields")::add);
    return body;
  }

  private ChangePage<JiraIssue> page(ObjectNode body, String asked) {
    TrackerResponse answer =
        http.send("POST", "/rest/api/3/search/jql", body, Set.of(), permission);
    JiraLogin.check(answer);
    return page(answer, next(answer.json(), asked));
  }

  private ChangePage<JiraIssue> page(TrackerResponse answer, @Nullable String next) {
    JsonNode issues = answer.json().path("issues");
    if (!issues.isArray()) {
      throw malformed("answers no list of issues; check the source's url");
    }
    var changes = new ArrayList<JiraIssue>();
    issues.forEach(issue -> changes.add(JiraIssue.of(issue)));
    Instant served = answer.served(clock.instant());
    return new ChangePage<>(changes, next, answer.retryAfter(), served);
  }

  /** The token of the next page; Jira leaves it out on the last page instead of sending null. */
  private static @Nullable String next(JsonNode answer, String asked) {
    boolean last = answer.path("isLast").asBoolean(false);
    String token = answer.path("nextPageToken").asText("");
    if (token.isEmpty() && answer.has("isLast") && !last) {
      throw malformed("says that there are more pages but not how to ask for them; asked again");
    }
    if (!token.isEmpty() && token.equals(asked)) {
      throw malformed("leads from a page to itself; asked again with the next poll");
    }
    return last || token.isEmpty() ? null : token;
  }

  private static SourceFailure malformed(String what) {
    return new SourceFailure(Category.MALFORMED, "Jira: the search " + what);
  }
}
