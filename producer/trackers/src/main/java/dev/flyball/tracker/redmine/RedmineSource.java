package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Leave;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.Watermark;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
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
  private static final int MAX_VALUE = 200;

  private final SourceConfig.Redmine config;
  private final RedmineQuery query;
  private final TrackerHttp http;
  private final RedmineAccess access;
  private final RedmineLists lists;
  private final RedmineIssue reader;

  /**
   * Mark of the place and the filters: with other filters everything is read from the beginning.
   */
  private final String mark;

  /**
   * Sends no request yet.
   *
   * @throws IllegalArgumentException if the query has parameters that are not allowed
   */
  public RedmineSource(SourceConfig.Redmine config, InstantSource clock) {
    this.config = config;
    this.query = new RedmineQuery(config.project(), config.query());
    this.http = http(config, clock);
    this.access = new RedmineAccess(http, config.token());
    this.lists = new RedmineLists(http);
    this.reader = new RedmineIssue(config, base(config));
    this.mark = Watermark.mark(base(config).toString(), query.page(null, 0));
  }

  /** How requests are sent, for issues and for notes; the token is read again for each request. */
  static TrackerHttp http(SourceConfig.Redmine config, InstantSource clock) {
    return new TrackerHttp(base(config), () -> headers(config), clock);
  }

  private static URI base(SourceConfig.Redmine config) {
    return URI.create(config.url().toString().replaceAll("/+$", ""));
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    try {
      return read(Watermark.read(cursor, mark), leave);
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Watermark.read(cursor, mark).map(Watermark::at);
  }

  @Override
  public int revisitBatch() {
    return RedmineQuery.PAGE;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, Leave leave) {
    try {
      return look(keys, leave);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  private PollResult.Read read(Optional<Watermark> before, Leave leave) {
    int asked = http.requests();
    access.check(leave);
    Instant since = before.map(Watermark::at).orElse(null);
    RedminePages pages = RedminePages.read(http, query, since, leave);
    var items = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    readAll(pages.issues(), items, invalid, leave);
    Instant newest = items.isEmpty() ? null : items.getLast().changedAt();
    Watermark after = RedmineCursor.after(before, newest, pages.began(), mark);
    if (before.filter(after::equals).isEmpty()) {
      // A key that was withdrawn meanwhile hides issues from these pages. No later poll would read
      // them, because they lie before the cursor.
      access.checkNow(leave);
    }
    return new PollResult.Read(
        items,
        invalid,
        pages.issues().size(),
        after.toString(),
        http.requests() - asked,
        pages.retryAfter());
  }

  /** Reads issues into items, in the order in which they were changed. */
  private void readAll(
      List<JsonNode> issues, List<RawItem> items, List<PollResult.Unread> invalid, Leave leave) {
    var readable = new ArrayList<JsonNode>();
    long number = 0;
    for (JsonNode issue : issues) {
      number++;
      if (RedmineIssue.updated(issue).isPresent()) {
        readable.add(issue);
      } else {
        invalid.add(unread(number, issue));
      }
    }
    readable.sort(Comparator.comparing(issue -> RedmineIssue.updated(issue).orElseThrow()));
    for (JsonNode issue : readable) {
      items.add(item(issue, items.size() + 1L, leave));
    }
  }

  private RawItem item(JsonNode issue, long at, Leave leave) {
    return reader.read(issue, lists.priority(issue, leave), lists.closed(issue, leave), at);
  }

  private Revisited.Seen look(List<ItemKey> keys, Leave leave) {
    int asked = http.requests();
    var gone = new HashSet<>(keys);
    List<Long> ids =
        keys.stream()
            .map(ItemKey::id)
            .filter(id -> NUMBER.matcher(id).matches())
            .map(Long::valueOf)
            .toList();
    var items = new ArrayList<RawItem>();
    if (!ids.isEmpty()) {
      var answer = http.get(RedmineQuery.byId(ids), Map.of(), Set.of(), leave);
      List<JsonNode> answered = RedminePage.of(answer.json(), 0).issues();
      readAll(answered, items, new ArrayList<>(), leave);
      // An issue that exists but cannot be read is not deleted.
      answered.forEach(issue -> gone.remove(reader.key(issue)));
      if (answered.stream().anyMatch(issue -> issue.path("id").asLong() == 0)) {
        // The issue without an id may be any of them.
        gone.clear();
      }
    }
    if (!gone.isEmpty()) {
      // Ensures that the issues are not just hidden because the key is no longer accepted.
      access.checkNow(leave);
    }
    return new Revisited.Seen(items, gone, http.requests() - asked);
  }

  private PollResult.Unread unread(long number, JsonNode issue) {
    String value = issue.toString();
    return new PollResult.Unread(
        config.key(),
        number,
        "no issue: it has no id, or no updated_on",
        value.substring(0, Math.min(value.length(), MAX_VALUE)));
  }

  private static Map<String, String> headers(SourceConfig.Redmine config) {
    return Tokens.read(config.token())
        .map(key -> Map.of("X-Redmine-API-Key", key))
        .orElse(Map.of());
  }
}
