package dev.flyball.tracker.github;

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
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** GitHub's list of a repository's issues, read page by page, one request at a time. */
final class IssueList {
  private final TrackerHttp http;
  private final String path;
  private final SourceConfig.GitHub config;
  private final InstantSource clock;

  /**
   * The last answer that held the whole list; written and read by the one polling thread. It is
   * returned again when GitHub says that it is unchanged, because what was read may not have been
   * published.
   */
  private @Nullable Kept kept;

  /** Sends no request yet. */
  IssueList(TrackerHttp http, SourceConfig.GitHub config, InstantSource clock) {
    this.http = http;
    this.path = GitHubSource.issues(config);
    this.config = config;
    this.clock = clock;
  }

  /** The pages of one poll. */
  ChangePages pages(String state, RequestPermission permission) {
    return new ChangePages() {
      @Override
      public ChangePage from(@Nullable Instant since) {
        String oldestFirst = "&sort=updated&direction=asc&per_page=100";
        String from = since == null ? "" : "&since=" + since;
        return beginning(path + "?state=" + state + oldestFirst + from, permission);
      }

      @Override
      public ChangePage next(String link) {
        return page(http.get(link, permission));
      }
    };
  }

  private ChangePage beginning(String address, RequestPermission permission) {
    Kept same = kept != null && kept.address().equals(address) ? kept : null;
    kept = null;
    Map<String, String> condition = same == null ? Map.of() : Map.of("If-None-Match", same.tag());
    TrackerResponse answer = http.get(address, condition, permission);
    if (answer.status() == 304) {
      kept = asked(same);
      return kept.page().confirmed(answer.retryAfter(), answer.served(clock.instant()));
    }
    ChangePage page = page(answer);
    String tag = answer.headers().firstValue("ETag").orElse(null);
    kept = tag == null || page.next() != null ? null : new Kept(address, tag, page);
    return page;
  }

  private ChangePage page(TrackerResponse answer) {
    var issues = new ArrayList<ChangedEntry>();
    answer
        .list(
            "",
            "GitHub: the list of issues is no list; check the source's url, which ends in /api/v3"
                + " for an enterprise server")
        .forEach(issue -> issues.add(GitHubIssue.read(issue, config)));
    String next = NextLink.in(answer.headers().allValues("Link")).orElse(null);
    return new ChangePage(issues, next, answer.retryAfter(), answer.served(clock.instant()));
  }

  private static Kept asked(@Nullable Kept same) {
    if (same == null) {
      throw new SourceFailure(
          Category.MALFORMED,
          "GitHub: an answer says that nothing changed, which was not asked; check the proxy");
    }
    return same;
  }

  private record Kept(String address, String tag, ChangePage page) {}
}
