package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The meaning of status and priority numbers in issues: an administrator's lists, read when the
 * first issue needs them, again when an issue has a number that is not in them, and again after an
 * hour.
 */
final class RedmineLists {
  /** After how long they are read again: an administrator may have changed their meaning. */
  private static final Duration VALID = Duration.ofHours(1);

  private final TrackerHttp http;
  private final InstantSource clock;
  private Instant readAt = Instant.MIN;
  private List<Long> priorities = List.of();

  /** Whether a status is closed, by its number; a deleted status may still occur in an answer. */
  private final Map<Long, Boolean> closed = new HashMap<>();

  RedmineLists(TrackerHttp http, InstantSource clock) {
    this.http = http;
    this.clock = clock;
  }

  /** Forgets lists that are too old. */
  void refresh() {
    Instant now = clock.instant();
    if (!now.isBefore(readAt.plus(VALID))) {
      priorities = List.of();
      closed.clear();
      readAt = now;
    }
  }

  /** An issue's priority: 1 is the most urgent. Redmine lists them the other way round. */
  int priority(JsonNode issue, RequestPermission permission) {
    long id = issue.path("priority").path("id").asLong();
    if (!priorities.contains(id)) {
      var ids = new ArrayList<Long>();
      entries("/enumerations/issue_priorities.json", "issue_priorities", permission)
          .forEach(entry -> ids.add(entry.path("id").asLong()));
      priorities = ids;
    }
    int at = priorities.indexOf(id);
    return at < 0 ? priorities.size() + 1 : priorities.size() - at;
  }

  /**
   * Whether its status means that no work is wanted; an old Redmine does not put that into issues.
   */
  boolean closed(JsonNode issue, RequestPermission permission) {
    JsonNode status = issue.path("status");
    if (status.has("is_closed")) {
      return status.path("is_closed").asBoolean();
    }
    long id = status.path("id").asLong();
    if (!closed.containsKey(id)) {
      for (JsonNode entry : entries("/issue_statuses.json", "issue_statuses", permission)) {
        closed.put(entry.path("id").asLong(), entry.path("is_closed").asBoolean());
      }
      // A number that is in no list is not asked for again with each issue.
      closed.putIfAbsent(id, false);
    }
    return closed.getOrDefault(id, false);
  }

  /** The entries of a list, in its order. */
  private JsonNode entries(String path, String list, RequestPermission permission) {
    JsonNode entries = http.get(path, Map.of(), Set.of(), permission).json().path(list);
    if (!entries.isArray()) {
      // Without the list every issue would look open and most urgent.
      throw new SourceFailure(
          Category.MALFORMED,
          "redmine: an answer to " + path + " has no " + list + "; is the url that of Redmine?");
    }
    return entries;
  }
}
