package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.PagedListing.ChangePages;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The pages of one poll's search, and issues by their keys. */
final class JiraSearch implements ChangePages {
  private static final int PAGE = 100;

  private final TrackerHttp http;
  private final boolean dataCenter;
  private final Jql query;
  private final Function<JsonNode, ChangedEntry> issue;
  private final InstantSource clock;
  private final RequestPermission permission;

  /** What was searched for last; a next page repeats it. */
  private Map<String, Object> last = Map.of();

  private record Fetch(List<String> issueIdsOrKeys, List<String> fields) {}

  /**
   * What a fetch by keys found.
   *
   * @param failed keys that could not be fetched for now, as Jira names them
   */
  record Fetched(ChangePage page, List<String> failed) {}

  JiraSearch(
      TrackerHttp http,
      boolean dataCenter,
      Jql query,
      Function<JsonNode, ChangedEntry> issue,
      InstantSource clock,
      RequestPermission permission) {
    this.http = http;
    this.dataCenter = dataCenter;
    this.query = query;
    this.issue = issue;
    this.clock = clock;
    this.permission = permission;
  }

  @Override
  public ChangePage from(@Nullable Instant since, int size) {
    return first(query.text(since), size, JiraIssue.FIELDS, true);
  }

  /** The first page of which issues were changed when, from one time to before another. */
  ChangePage times(Instant from, Instant to) {
    return first(query.between(from, to), PAGE, List.of("updated"), true);
  }

  /**
   * The first page.
   *
   * @param strict whether keys that do not exist are an error
   */
  private ChangePage first(String jql, int size, List<String> fields, boolean strict) {
    last = new TreeMap<>(Map.of("jql", jql, "maxResults", size, "fields", fields));
    if (dataCenter) {
      last.putAll(Map.of("validateQuery", strict, "expand", List.of("renderedFields")));
      return numbered(0);
    }
    return named("");
  }

  @Override
  public ChangePage next(String name) {
    return dataCenter ? numbered(Integer.parseInt(name)) : named(name);
  }

  Fetched fetch(List<String> keys) {
    if (dataCenter) {
      return new Fetched(first(Jql.keys(keys), keys.size(), JiraIssue.FIELDS, false), List.of());
    }
    TrackerResponse answer =
        answer("/rest/api/3/issue/bulkfetch", new Fetch(keys, JiraIssue.FIELDS));
    List<String> failed =
        answer.json().path("issueErrors").valueStream().map(e -> e.path("id").asText()).toList();
    return new Fetched(page(answer, null), failed);
  }

  private ChangePage named(String token) {
    var body = new TreeMap<>(last);
    if (!token.isEmpty()) {
      body.put("nextPageToken", token);
    }
    TrackerResponse answer = answer("/rest/api/3/search/jql", body);
    return page(answer, next(answer.json(), token));
  }

  /** A page of Data Center, whose issues are counted. */
  private ChangePage numbered(int start) {
    var body = new TreeMap<>(last);
    body.put("startAt", start);
    TrackerResponse answer = answer("/rest/api/2/search", body);
    JsonNode total = answer.json().path("total");
    int found = answer.json().path("issues").size();
    if (!total.canConvertToInt()) {
      throw malformed("has no total; check the source's url");
    }
    boolean more = found > 0 && start + found < total.asInt();
    return page(answer, more ? Integer.toString(start + found) : null);
  }

  private TrackerResponse answer(String path, Object body) {
    TrackerResponse answer = http.send("POST", path, body, permission);
    JiraSource.checkLogin(answer);
    return answer;
  }

  private ChangePage page(TrackerResponse answer, @Nullable String next) {
    JsonNode list =
        answer.list(
            "/issues", "Jira: the search answers no list of issues; check the source's url");
    List<ChangedEntry> issues = list.valueStream().map(issue).toList();
    return new ChangePage(issues, next, answer.retryAfter(), answer.served(clock.instant()));
  }

  /**
   * The token of the next page, which the last page lacks. Where an answer contradicts itself, it
   * is followed or refused: an issue that is not read would never be missed.
   */
  private static @Nullable String next(JsonNode answer, String asked) {
    String token = answer.path("nextPageToken").asText("");
    if (!token.isEmpty() && token.equals(asked)) {
      throw malformed("leads from a page to itself; asked again with the next poll");
    }
    boolean counted = asked.isEmpty() && !answer.has("isLast");
    boolean more =
        counted
            ? answer.path("total").asInt() > answer.path("issues").size()
            : !answer.path("isLast").asBoolean(true);
    if (token.isEmpty() && more) {
      throw malformed("says that there are more pages but not how to ask for them; asked again");
    }
    return token.isEmpty() ? null : token;
  }

  private static SourceFailure malformed(String what) {
    return new SourceFailure(Category.MALFORMED, "Jira: the search " + what);
  }
}
