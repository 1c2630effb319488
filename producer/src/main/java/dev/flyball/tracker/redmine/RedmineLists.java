package dev.flyball.tracker.redmine;

import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.redmine.RedmineIssue.Named;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
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

  /** Priorities that are in no list; they are not asked for again with each issue. */
  private final Set<Long> unlisted = new HashSet<>();

  /** Whether a status is closed, by its number; a deleted status may still occur in an answer. */
  private final Map<Long, Boolean> closed = new HashMap<>();

  RedmineLists(TrackerHttp http, InstantSource clock) {
    this.http = http;
    this.clock = clock;
  }

  void refresh() {
    Instant now = clock.instant();
    if (!now.isBefore(readAt.plus(VALID))) {
      priorities = List.of();
      unlisted.clear();
      closed.clear();
      readAt = now;
    }
  }

  /** An issue's priority: 1 is the most urgent. Redmine lists them the other way round. */
  int priority(Named priority, RequestPermission permission) {
    long id = priority.id();
    if (!priorities.contains(id) && !unlisted.contains(id)) {
      priorities =
          entries("/enumerations/issue_priorities.json", "issue_priorities", permission).stream()
              .map(Named::id)
              .toList();
      // Only now: after a failed request every issue would count as urgent.
      unlisted.add(id);
    }
    int at = priorities.indexOf(id);
    return at < 0 ? priorities.size() + 1 : priorities.size() - at;
  }

  /** Whether its status means that no work is wanted; an old Redmine's issues do not say so. */
  boolean closed(Named status, RequestPermission permission) {
    if (status.isClosed() != null) {
      return status.isClosed();
    }
    long id = status.id();
    if (!closed.containsKey(id)) {
      for (Named entry : entries("/issue_statuses.json", "issue_statuses", permission)) {
        closed.put(entry.id(), Boolean.TRUE.equals(entry.isClosed()));
      }
      // A number that is in no list is not asked for again with each issue.
      closed.putIfAbsent(id, false);
    }
    return closed.getOrDefault(id, false);
  }

  /** The entries of a list, in its order. Without it every issue would look open and urgent. */
  private List<Named> entries(String path, String list, RequestPermission permission) {
    return http.get(path, permission)
        .list(
            "/" + list,
            Named.class,
            "redmine: an answer to " + path + " has no " + list + "; is the url that of Redmine?");
  }
}
