package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangeFeed;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.TrackerCursor;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Issues of Jira Cloud that a query finds. An item's id is its key, because people use it; an issue
 * that moves to another project is deleted here and new there.
 */
public final class JiraSource implements Source {
  /**
   * Search is eventually consistent: an issue appears some time after it was changed, and Atlassian
   * names no upper limit for that. Queries compare whole minutes.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(10), Duration.ofMinutes(1));

  private static final int FETCHED_AT_ONCE = 100;

  private final InstantSource clock;
  private final TrackerHttp http;
  private final JiraLogin login;
  private final Jql query;
  private final ChangeFeed<JiraIssue> feed;
  private final JiraLateChanges late = new JiraLateChanges();

  /** Where people read issues: the site; null where Jira is asked by Atlassian's common gateway. */
  private final @Nullable URI site;

  /**
   * Sends no request yet.
   *
   * @throws IllegalArgumentException if no condition can be added to the query
   */
  public JiraSource(SourceConfig.Jira config, InstantSource clock) {
    this(config, clock, new TrackerLimits());
  }

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public JiraSource(SourceConfig.Jira config, InstantSource clock, TrackerLimits limits) {
    this.clock = clock;
    http = JiraAccess.http(config, clock, limits);
    login = new JiraLogin(http, config.token(), clock);
    query = Jql.of(config.query());
    String path = config.url().getPath();
    site = path == null || path.isEmpty() || path.equals("/") ? config.url() : null;
    feed =
        new ChangeFeed<>(
            "Jira",
            config.key(),
            TOLERANCE,
            TrackerCursor.mark(config.url().toString(), config.query()),
            (issue, at) -> issue.item(config.tenant(), config.name(), site, at),
            http::requests);
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    return feed.poll(
        cursor,
        fresh -> {
          login.check(permission);
          var search = new JiraSearch(http, query, clock, permission);
          return since ->
              late.completed(
                  new PagedListing<>("Jira", TOLERANCE, search).read(since), since, search);
        });
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(feed.horizon(cursor).minus(JiraLateChanges.WINDOW));
  }

  @Override
  public boolean goesOn(String cursor) {
    return feed.goesOn(cursor);
  }

  @Override
  public int revisitBatch() {
    return FETCHED_AT_ONCE;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    int before = http.requests();
    try {
      var body = JiraRevisit.body(keys.stream().map(ItemKey::id).toList());
      TrackerResponse answer =
          http.send("POST", "/rest/api/3/issue/bulkfetch", body, Set.of(), permission);
      JiraLogin.check(answer);
      JsonNode json = answer.json();
      Map<ItemKey, JiraIssue> found = JiraRevisit.found(keys, json);
      Set<ItemKey> gone = JiraRevisit.gone(keys, found.keySet(), json);
      if (!gone.isEmpty()) {
        login.checkNow(permission);
      }
      return new Revisited.Seen(items(found), gone, http.requests() - before);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  /**
   * The readable items. An issue that exists but cannot be read is left out, so that the others do
   * not wait for it.
   */
  private List<RawItem> items(Map<ItemKey, JiraIssue> found) {
    var items = new ArrayList<RawItem>();
    found.forEach((key, issue) -> {
      try {
        items.add(issue.item(key.tenant(), key.source(), site, items.size() + 1));
      } catch (UnreadableRecord e) {
        // The poll that reads it reports it.
      }
    });
    return items;
  }
}
