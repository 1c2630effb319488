package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangePages;
import dev.flyball.tracker.paging.ChangedEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages of one poll's list of issues. */
final class RedminePages implements ChangePages {
  private static final String PLACE = "redmine: an answer to /issues.json ";

  private final TrackerHttp http;
  private final RedmineQuery query;
  private final RedmineLists lists;
  private final SourceConfig.Redmine config;
  private final RequestPermission permission;

  /** From where the first page was requested; a next page repeats it. */
  private @Nullable Instant since;

  RedminePages(
      TrackerHttp http,
      RedmineQuery query,
      RedmineLists lists,
      SourceConfig.Redmine config,
      RequestPermission permission) {
    this.http = http;
    this.query = query;
    this.lists = lists;
    this.config = config;
    this.permission = permission;
  }

  @Override
  public ChangePage from(@Nullable Instant since) {
    this.since = since;
    return page(0);
  }

  @Override
  public ChangePage next(String offset) {
    return page(Integer.parseInt(offset));
  }

  private ChangePage page(int offset) {
    TrackerResponse answer = http.get(query.page(since, offset), permission);
    JsonNode total = answer.json().path("total_count");
    if (!total.canConvertToInt()) {
      throw malformed("has no total_count; check that the url is that of Redmine");
    }
    List<ChangedEntry> issues = issues(answer);
    int end = offset + issues.size();
    boolean last = issues.isEmpty() || end >= total.asInt();
    return new ChangePage(
        issues, last ? null : Integer.toString(end), answer.retryAfter(), served(answer));
  }

  /** The issues of these numbers, whether or not the query finds them. */
  List<ChangedEntry> byId(List<Long> ids) {
    return ids.isEmpty() ? List.of() : issues(http.get(RedmineQuery.byId(ids), permission));
  }

  private List<ChangedEntry> issues(TrackerResponse answer) {
    JsonNode list =
        answer.list(
            "/issues", PLACE + "has no list of issues; check that the url is that of Redmine");
    lists.refresh();
    var issues = new ArrayList<ChangedEntry>();
    list.forEach(issue -> issues.add(RedmineIssue.read(issue, config, lists, permission)));
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
    return new SourceFailure(Category.MALFORMED, PLACE + what);
  }
}
