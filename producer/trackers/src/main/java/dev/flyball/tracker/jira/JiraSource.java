package dev.flyball.tracker.jira;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.LoginCheck;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListResult;
import dev.flyball.tracker.paging.ListedSource;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.TrackerCursor;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Issues of Jira Cloud that a query finds. An item's id is its key, because people use it; an issue
 * that moves to another project is deleted here and new there.
 */
public final class JiraSource implements ListedSource {
  /**
   * Search is eventually consistent: an issue appears some time after it was changed, and Atlassian
   * names no upper limit for that. Queries compare whole minutes.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(10), Duration.ofMinutes(1));

  private static final int FETCHED_AT_ONCE = 100;

  private final Place place;
  private final SourceConfig.Jira config;
  private final InstantSource clock;
  private final TrackerHttp http;
  private final LoginCheck login;
  private final JiraComments comments;
  private final Jql query;
  private final JiraLateChanges late = new JiraLateChanges();

  /** Where people read issues: the site; null where Jira is asked by Atlassian's common gateway. */
  private final @Nullable URI site;

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   * @throws IllegalArgumentException if no condition can be added to the query
   */
  public JiraSource(SourceConfig.Jira config, InstantSource clock, TrackerLimits limits) {
    this.config = config;
    this.clock = clock;
    http = JiraLogin.http(config, clock, limits);
    place =
        new Place(
            config.key(),
            TOLERANCE,
            TrackerCursor.mark(config.url().toString(), config.query()),
            http::requests);
    login = new LoginCheck(config.token(), clock, asked -> JiraLogin.check(http, asked));
    comments = new JiraComments(http);
    query = Jql.of(config.query());
    String path = config.url().getPath();
    site = path == null || path.isEmpty() || path.equals("/") ? config.url() : null;
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    login.check(permission);
    JiraSearch search = search(permission);
    return late.completed(new PagedListing("Jira", TOLERANCE, search).read(since), since, search);
  }

  private JiraSearch search(RequestPermission permission) {
    return new JiraSearch(
        http, query, json -> JiraIssue.read(json, config, site), clock, permission);
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return ListedSource.super.horizon(cursor).map(from -> from.minus(JiraLateChanges.WINDOW));
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    return comments.latest(item.key().id(), permission);
  }

  @Override
  public int revisitBatch() {
    return FETCHED_AT_ONCE;
  }

  /**
   * One that moved to another project comes under its new key, and is another item. What Jira could
   * not fetch for now is listed as an error and may still exist, as may an issue without a key.
   * What does not exist, or is not visible to us, is in neither list.
   */
  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    JiraSearch.Fetched fetched = search(permission).fetch(keys.stream().map(ItemKey::id).toList());
    List<ChangedEntry> issues = fetched.page().items();
    var gone = new HashMap<String, ItemKey>();
    keys.forEach(key -> gone.put(key.id(), key));
    List<ChangedEntry> found =
        issues.stream().filter(issue -> gone.remove(issue.id()) != null).toList();
    boolean unsure = issues.stream().anyMatch(issue -> issue.id().isEmpty());
    for (String failed : fetched.failed()) {
      // An error under another name may concern any of them.
      unsure |= gone.remove(failed) == null;
    }
    if (unsure) {
      gone.clear();
    }
    if (!gone.isEmpty()) {
      login.checkNow(permission);
    }
    return new Existing(found, Set.copyOf(gone.values()));
  }
}
