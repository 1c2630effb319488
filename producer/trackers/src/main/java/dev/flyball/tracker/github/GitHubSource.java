package dev.flyball.tracker.github;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ListResult;
import dev.flyball.tracker.paging.ListedSource;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.TrackerCursor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Issues of one GitHub repository. The first reading, in several polls where it is long, covers the
 * open issues; every later one covers what changed. A poll that finds nothing new costs one
 * request, which GitHub does not count if it answers 304.
 */
public final class GitHubSource implements ListedSource {
  /**
   * A change is stamped before it can be read, by one of many machines, so it may become visible
   * after a newer one. Two minutes are far more than that takes, and cost no request.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofSeconds(1));

  private static final int REVISITED_AT_ONCE = 10;

  private final Place place;
  private final TrackerHttp http;
  private final IssueList list;
  private final IssueRevisit revisit;
  private final GitHubComments comments;

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public GitHubSource(SourceConfig.GitHub config, InstantSource clock, TrackerLimits limits) {
    http = http(config, clock, limits);
    place =
        new Place(
            config.repository(),
            TOLERANCE,
            TrackerCursor.mark(config.url().toString(), config.repository()),
            http::requests);
    list = new IssueList(http, config, clock);
    revisit = new IssueRevisit(http, config);
    comments = new GitHubComments(config.repository(), http);
  }

  /** How issues and comments are requested; the token is read again for each request. */
  static TrackerHttp http(SourceConfig.GitHub config, InstantSource clock, TrackerLimits limits) {
    return new TrackerHttp(config.url(), () -> headers(config.token()), clock, limits);
  }

  /** The path of the list of issues. */
  static String issues(SourceConfig.GitHub config) {
    return "/repos/" + config.repository() + "/issues";
  }

  private static Map<String, String> headers(Credential token) {
    var headers = new TreeMap<String, String>();
    headers.put("Accept", "application/vnd.github+json");
    headers.put("X-GitHub-Api-Version", "2022-11-28");
    Tokens.read(token).ifPresent(secret -> headers.put("Authorization", "Bearer " + secret));
    return headers;
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    var pages = list.pages(fresh ? "open" : "all", permission);
    return new PagedListing("GitHub", TOLERANCE, pages).read(since);
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    return item.comments() == 0
        ? List.of()
        : comments.latest(item.key().id(), item.comments(), permission);
  }

  @Override
  public int revisitBatch() {
    return REVISITED_AT_ONCE;
  }

  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    return revisit.of(keys, permission);
  }
}
