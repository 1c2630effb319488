package dev.flyball.tracker.redmine;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.paging.ChangeFeed;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ListResult;
import dev.flyball.tracker.paging.Listing;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.TrackerCursor;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Redmine, by its REST interface. A poll that finds no change costs one request. */
public final class RedmineSource implements Source {
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

  /**
   * A stamp is made when a request saves, not when its transaction is committed, and the machines
   * of one Redmine have separate clocks: so late a change may become visible.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofSeconds(1));

  private final SourceConfig.Redmine config;
  private final RedmineQuery query;
  private final TrackerHttp http;
  private final RedmineAccess access;
  private final RedmineLists lists;
  private final ChangeFeed<RedmineIssue> feed;

  /**
   * Sends no request yet.
   *
   * @throws IllegalArgumentException if the query has parameters that are not allowed
   */
  public RedmineSource(SourceConfig.Redmine config, InstantSource clock) {
    this(config, clock, new TrackerLimits());
  }

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public RedmineSource(SourceConfig.Redmine config, InstantSource clock, TrackerLimits limits) {
    this.config = config;
    this.query = new RedmineQuery(config.project(), config.query());
    this.http = http(config, clock, limits);
    this.access = new RedmineAccess(http, config.token());
    this.lists = new RedmineLists(http, clock);
    URI base = base(config);
    this.feed =
        new ChangeFeed<>(
            "Redmine",
            config.key(),
            TOLERANCE,
            TrackerCursor.mark(base.toString(), query.mark()),
            (issue, at) -> issue.item(config.tenant(), config.name(), base, at),
            http::requests);
  }

  /** How requests are sent, for issues and for notes; the token is read again for each request. */
  static TrackerHttp http(SourceConfig.Redmine config, InstantSource clock, TrackerLimits limits) {
    return new TrackerHttp(base(config), () -> headers(config), clock, limits);
  }

  private static URI base(SourceConfig.Redmine config) {
    return URI.create(config.url().toString().replaceAll("/+$", ""));
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    return feed.poll(
        cursor,
        fresh -> {
          access.check(permission);
          return new Checked(permission);
        });
  }

  /** The list for one poll. */
  private final class Checked implements Listing<RedmineIssue> {
    private final RequestPermission permission;

    Checked(RequestPermission permission) {
      this.permission = permission;
    }

    @Override
    public ListResult<RedmineIssue> read(@Nullable Instant since) {
      var pages = new RedminePages(http, query, lists, permission);
      return new PagedListing<>("Redmine", TOLERANCE, pages).read(since);
    }

    /**
     * A key that was withdrawn meanwhile hides issues from the pages. No later poll would read
     * them, because they are older than the new cursor.
     */
    @Override
    public void cursorMoves() {
      access.checkNow(permission);
    }
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
    return RedmineQuery.PAGE;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    int before = http.requests();
    try {
      var items = new ArrayList<RawItem>();
      Set<ItemKey> gone = checked(keys, items, permission);
      if (!gone.isEmpty()) {
        // Ensures that the issues are not just hidden because the key is no longer accepted.
        access.checkNow(permission);
      }
      return new Revisited.Seen(items, gone, http.requests() - before);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  /** Adds the issues that can be read; returns those that surely no longer exist. */
  private Set<ItemKey> checked(
      List<ItemKey> keys, List<RawItem> items, RequestPermission permission) {
    var gone = new HashSet<>(keys);
    List<Long> ids =
        keys.stream()
            .map(ItemKey::id)
            .filter(id -> NUMBER.matcher(id).matches())
            .map(Long::valueOf)
            .toList();
    if (ids.isEmpty()) {
      return gone;
    }
    var answer = http.get(RedmineQuery.byId(ids), Map.of(), Set.of(), permission);
    for (RedmineIssue issue : RedminePages.issues(answer.json(), lists, permission)) {
      if (issue.id() == 0) {
        // An issue without an id may be any of them.
        return Set.of();
      }
      // An issue that exists but cannot be read is not deleted.
      gone.remove(new ItemKey(config.tenant(), config.name(), Long.toString(issue.id())));
      try {
        items.add(issue.item(config.tenant(), config.name(), base(config), items.size() + 1));
      } catch (UnreadableRecord e) {
        // The poll that reads it reports it.
      }
    }
    return gone;
  }

  private static Map<String, String> headers(SourceConfig.Redmine config) {
    return Tokens.read(config.token())
        .map(key -> Map.of("X-Redmine-API-Key", key))
        .orElse(Map.of());
  }
}
