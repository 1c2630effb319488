package dev.flyball.tracker.github;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.paging.ChangeFeed;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.TrackerCursor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Issues of one GitHub repository. The first reading, in several polls where it is long, covers the
 * open issues; every later one covers what changed. A poll that finds nothing new costs one
 * request, which GitHub does not count if it answers 304.
 */
public final class GitHubSource implements Source {
  /**
   * A change is stamped before it can be read, by one of many machines, so it may become visible
   * after a newer one. Two minutes are far more than that takes, and cost no request.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofSeconds(1));

  private static final int REVISITED_AT_ONCE = 10;

  private final IssueList list;
  private final IssueRevisit revisit;
  private final ChangeFeed<GitHubIssue> feed;

  /** Sends no request yet. */
  public GitHubSource(SourceConfig.GitHub config, InstantSource clock) {
    this(config, clock, new TrackerLimits());
  }

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public GitHubSource(SourceConfig.GitHub config, InstantSource clock, TrackerLimits limits) {
    TrackerHttp http = GitHubAccess.http(config, clock, limits);
    String path = "/repos/" + config.repository() + "/issues";
    list = new IssueList(http, path, clock);
    revisit = new IssueRevisit(http, path);
    feed =
        new ChangeFeed<>(
            "GitHub",
            config.repository(),
            TOLERANCE,
            TrackerCursor.mark(config.url().toString(), config.repository()),
            (issue, at) -> issue.item(config.tenant(), config.name(), at),
            http::requests);
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    return feed.poll(
        cursor,
        fresh ->
            new PagedListing<>(
                "GitHub", TOLERANCE, list.pages(fresh ? "open" : "all", permission)));
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(feed.horizon(cursor));
  }

  @Override
  public boolean goesOn(String cursor) {
    return feed.goesOn(cursor);
  }

  @Override
  public int revisitBatch() {
    return REVISITED_AT_ONCE;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    try {
      return revisit.of(keys, permission);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }
}
