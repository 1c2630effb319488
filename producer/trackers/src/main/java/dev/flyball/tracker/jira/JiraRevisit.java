package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what a request for issues by their keys returns for each. Pure. */
final class JiraRevisit {
  private JiraRevisit() {}

  /** The request's body. */
  static ObjectNode body(List<String> keys) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode asked = body.putArray("issueIdsOrKeys");
    keys.forEach(asked::add);
    JiraIssue.FIELDS.forEach(body.putArray("fields")::add);
    return body;
  }

  /**
   * The issues that exist under the requested keys. One that moved to another project comes under
   * its new key, and is another item.
   *
   * @throws SourceFailure if the answer has no list of issues
   */
  static Map<ItemKey, JiraIssue> found(List<ItemKey> keys, JsonNode answer) {
    if (!answer.path("issues").isArray()) {
      throw new SourceFailure(
          Category.MALFORMED,
          "Jira: a fetch of issues answers no list of issues; check the source's url");
    }
    var byId = new HashMap<String, ItemKey>();
    keys.forEach(key -> byId.put(key.id(), key));
    var found = new HashMap<ItemKey, JiraIssue>();
    for (JsonNode json : answer.path("issues")) {
      JiraIssue issue = JiraIssue.of(json);
      ItemKey key = byId.get(issue.key());
      if (key != null) {
        found.put(key, issue);
      }
    }
    return found;
  }

  /**
   * The issues that surely no longer exist. What Jira could not fetch for now is listed as an error
   * and may still exist, as may an issue without a key. What does not exist, or is not visible to
   * us, is in neither list.
   */
  static Set<ItemKey> gone(List<ItemKey> keys, Set<ItemKey> found, JsonNode answer) {
    var gone = new HashSet<>(keys);
    gone.removeAll(found);
    for (JsonNode issue : answer.path("issues")) {
      if (JiraIssue.of(issue).key().isEmpty()) {
        return Set.of();
      }
    }
    for (JsonNode error : answer.path("issueErrors")) {
      String id = error.path("id").asText();
      // An error under another name may concern any of them.
      if (!gone.removeIf(key -> key.id().equals(id))) {
        return Set.of();
      }
    }
    return gone;
  }
}
