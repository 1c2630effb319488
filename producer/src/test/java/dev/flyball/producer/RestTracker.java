package dev.flyball.producer;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The part of GitHub that a producer uses: what changed since a time, two issues a page. */
final class RestTracker {
  /**
   * What a tracker holds.
   *
   * @param revision counted from 1
   */
  record Item(int id, String title, int revision, Instant changed) {
    Item edited(Instant now) {
      return new Item(id, "Edited " + id, revision + 1, now);
    }
  }

  private static final int PAGE = 2;

  private RestTracker() {}

  static SourceConfig config(SourceConfig.Identity identity, URI url, Credential token) {
    return new SourceConfig.GitHub(identity, SourceRules.DEFAULT, url, "acme/web", token);
  }

  /** Its answer when it works. */
  static FaultReply answer(FaultRequest request, List<Item> items, Instant now) {
    Instant since = Instant.parse(request.query().getOrDefault("since", "1970-01-01T00:00:00Z"));
    int page = Integer.parseInt(request.query().getOrDefault("page", "1"));
    List<Item> found =
        items.stream()
            .filter(item -> !item.changed().isBefore(since))
            .sorted(Comparator.comparing(Item::changed).thenComparingInt(Item::id))
            .toList();
    var headers = new HashMap<String, String>();
    headers.put("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atZone(ZoneOffset.UTC)));
    if (found.size() > page * PAGE) {
      String next = request.target().replaceAll("&page=\\d+", "") + "&page=" + (page + 1);
      headers.put("Link", "<" + next + ">; rel=\"next\"");
    }
    List<Object> issues =
        found.stream().skip((page - 1L) * PAGE).limit(PAGE).map(RestTracker::issue).toList();
    return FaultReply.json(200, headers, RecordJson.write(issues));
  }

  /** Whether a request asks for the rest of what another request has begun to read. */
  static boolean isLast(FaultRequest request) {
    return request.query().containsKey("page");
  }

  private static Object issue(Item item) {
    return Map.of(
        "number",
        item.id(),
        "title",
        item.title(),
        "comments",
        0,
        "state",
        "open",
        "labels",
        List.of(),
        "assignees",
        List.of(),
        "updated_at",
        item.changed().toString());
  }
}
