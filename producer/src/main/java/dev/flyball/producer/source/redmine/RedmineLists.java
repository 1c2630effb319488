package dev.flyball.producer.source.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.SourceFailure;
import dev.flyball.producer.source.http.TrackerHttp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the numbers in issues stand for: an administrator's lists, read when the first issue needs
 * them, and again when one has a number that is not there.
 */
final class RedmineLists {
  private final TrackerHttp http;
  private List<Long> priorities = List.of();
  private Optional<Set<Long>> closed = Optional.empty();

  RedmineLists(TrackerHttp http) {
    this.http = http;
  }

  /** An issue's priority: 1 is the most urgent. Redmine lists them the other way round. */
  int priority(JsonNode issue, Leave leave) {
    long id = issue.path("priority").path("id").asLong();
    if (!priorities.contains(id)) {
      priorities = ids("/enumerations/issue_priorities.json", "issue_priorities", "", leave);
    }
    int at = priorities.indexOf(id);
    return at < 0 ? priorities.size() + 1 : priorities.size() - at;
  }

  /** Whether its status means that no work is wanted; an old Redmine does not say so itself. */
  boolean closed(JsonNode issue, Leave leave) {
    JsonNode status = issue.path("status");
    if (status.has("is_closed")) {
      return status.path("is_closed").asBoolean();
    }
    if (closed.isEmpty()) {
      closed =
          Optional.of(
              new HashSet<>(ids("/issue_statuses.json", "issue_statuses", "is_closed", leave)));
    }
    return closed.get().contains(status.path("id").asLong());
  }

  /** The ids of a list, in its order; of those entries whose flag is set, if one is named. */
  private List<Long> ids(String path, String list, String flag, Leave leave) {
    JsonNode entries = http.get(path, Map.of(), Set.of(), leave).json().path(list);
    if (!entries.isArray()) {
      // Without it every issue would look open and most urgent.
      throw new SourceFailure(
          Category.MALFORMED,
          "redmine: an answer to " + path + " has no " + list + "; is the url that of Redmine?");
    }
    var ids = new ArrayList<Long>();
    for (JsonNode entry : entries) {
      if (flag.isEmpty() || entry.path(flag).asBoolean()) {
        ids.add(entry.path("id").asLong());
      }
    }
    return ids;
  }
}
