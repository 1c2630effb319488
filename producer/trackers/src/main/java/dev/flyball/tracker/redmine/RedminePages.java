package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangePages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The pages of one poll's list of issues. */
final class RedminePages implements ChangePages<RedmineIssue> {
  private final TrackerHttp http;
  private final RedmineQuery query;
  private final RedmineLists lists;
  private final RequestPermission permission;

  /** From where the first page was requested; a next page repeats it. */
  private @Nullable Instant since;

  RedminePages(
      TrackerHttp http, RedmineQuery query, RedmineLists lists, RequestPermission permission) {
    this.http = http;
    this.query = query;
    this.lists = lists;
    this.permission = permission;
  }

  @Override
  public ChangePage<RedmineIssue> from(@Nullable Instant since) {
    this.since = since;
    return page(0);
  }

  @Override
  public ChangePage<RedmineIssue> next(String offset) {
    return page(Integer.parseInt(offset));
  }

  private ChangePage<RedmineIssue> page(int offset) {
    TrackerResponse answer = http.get(query.page(since, offset), Map.of(), Set.of(), permission);
    JsonNode total = answer.json().path("total_count");
    if (!total.canConvertToInt()) {
      throw malformed("has no total_count; check that the url is that of Redmine");
    }
    List<RedmineIssue> issues = issues(answer.json(), lists, permission);
    int end = offset + issues.size();
    boolean last = issues.isEmpty() || end >= total.asInt();
    return new ChangePage<>(
        issues, last ? null : Integer.toString(end), answer.retryAfter(), served(answer));
  }

  /** The issues in an answer. */
  static List<RedmineIssue> issues(
      JsonNode answer, RedmineLists lists, RequestPermission permission) {
    if (!answer.path("issues").isArray()) {
      throw malformed("has no list of issues; check that the url is that of Redmine");
    }
    lists.refresh();
    var issues = new ArrayList<RedmineIssue>();
    answer.path("issues").forEach(issue -> issues.add(RedmineIssue.of(issue, lists, permission)));
    return issues;
  }

  /** The tracker's clock, not ours: stamps of issues are compared with it. */
  private static Instant served(TrackerResponse answer) {
    Instant served = answer.served(Instant.MIN.plusSeconds(1));
    if (served.getEpochSecond() < 0) {
      throw malformed(
          "has no Date header, so the tracker's time is unknown; let the proxy in front of Redmine"
              + " keep that header");
    }
    return served;
  }

  private static SourceFailure malformed(String what) {
    return new SourceFailure(Category.MALFORMED, "redmine: an answer to /issues.json " + what);
  }
}
