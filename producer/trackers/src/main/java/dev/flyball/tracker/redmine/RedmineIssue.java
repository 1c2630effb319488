package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.paging.ChangedEntry;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;

/**
 * One issue of Redmine's list, which does not name who changed it last. Pure.
 *
 * @param changedAt its last change of any kind, in whole seconds
 * @param priority 1 is first
 * @param closed whether its status means that no work is wanted
 */
record RedmineIssue(JsonNode json, Instant changedAt, int priority, boolean closed)
    implements ChangedEntry {

  /** Reads an issue; one that does not say when it was changed has no place in the list. */
  static RedmineIssue of(JsonNode json, RedmineLists lists, RequestPermission permission) {
    Instant changedAt;
    try {
      changedAt = Instant.parse(json.path("updated_on").asText());
    } catch (DateTimeException e) {
      return new RedmineIssue(json, Instant.EPOCH, 0, false);
    }
    int priority = lists.priority(json, permission);
    return new RedmineIssue(json, changedAt, priority, lists.closed(json, permission));
  }

  /** Its number; 0 if it has none. */
  long id() {
    return json.path("id").asLong();
  }

  @Override
  public String change() {
    return (id() == 0 ? json.toString() : Long.toString(id())) + "@" + changedAt;
  }

  /**
   * Turns the issue into a work item.
   *
   * @param base Redmine's own address
   * @throws UnreadableRecord if it lacks what an item must have
   */
  RawItem item(String tenant, String source, URI base, long at) {
    if (id() <= 0 || changedAt.equals(Instant.EPOCH)) {
      throw new UnreadableRecord("no issue: it has no id, or no updated_on");
    }
    String category = name("category");
    return new RawItem(
        new ItemKey(tenant, source, Long.toString(id())),
        json.path("subject").asText(""),
        json.path("description").asText(""),
        name("tracker"),
        name("status"),
        priority,
        category.isEmpty() ? List.of() : List.of(category),
        base + "/issues/" + id(),
        changedAt.toString(),
        changedAt,
        null,
        Markup.MARKDOWN,
        json.path("assigned_to").has("id"),
        closed,
        at);
  }

  private String name(String field) {
    return json.path(field).path("name").asText("");
  }
}
