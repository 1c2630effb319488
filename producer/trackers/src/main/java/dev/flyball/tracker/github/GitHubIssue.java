package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.paging.ChangedEntry;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry of GitHub's issue list, which holds pull requests too. Pure.
 *
 * @param json as GitHub wrote it, without what is not read
 * @param changedAt its last change of any kind, in whole seconds; GitHub has no revisions
 */
record GitHubIssue(JsonNode json, Instant changedAt) implements ChangedEntry {

  private static final List<String> READ =
      List.of(
          "number",
          "title",
          "body",
          "state",
          "type",
          "labels",
          "assignee",
          "assignees",
          "html_url",
          "updated_at");

  private static final List<String> READ_OF_PULL_REQUEST =
      List.of("number", "updated_at", "pull_request");

  /** Reads an entry; one that does not say when it was changed has no place in the list. */
  static GitHubIssue of(JsonNode answer) {
    JsonNode json = onlyRead(answer);
    try {
      return new GitHubIssue(json, Instant.parse(json.path("updated_at").asText()));
    } catch (DateTimeException e) {
      return new GitHubIssue(json, Instant.EPOCH);
    }
  }

  /**
   * The entry without what is not read, to save memory: a repository's first poll holds thousands
   * of them.
   */
  private static JsonNode onlyRead(JsonNode answer) {
    if (!(answer instanceof ObjectNode issue)) {
      return answer;
    }
    boolean pullRequest = issue.hasNonNull("pull_request");
    return issue.retain(pullRequest ? READ_OF_PULL_REQUEST : READ);
  }

  boolean pullRequest() {
    return json.hasNonNull("pull_request");
  }

  @Override
  public boolean wanted() {
    return !pullRequest();
  }

  /** The number within its repository, or an empty text. */
  String number() {
    return json.path("number").isIntegralNumber() ? json.path("number").asText() : "";
  }

  @Override
  public String change() {
    return (number().isEmpty() ? json.toString() : number()) + "@" + changedAt;
  }

  /**
   * Turns the entry into a work item.
   *
   * @throws UnreadableRecord if it lacks what an item must have
   */
  RawItem item(String tenant, String source, long at) {
    if (number().isEmpty()) {
      throw new UnreadableRecord("an issue without a number");
    }
    if (changedAt.equals(Instant.EPOCH)) {
      throw new UnreadableRecord("issue " + number() + " does not say when it was updated");
    }
    String title = text(json, "title");
    if (title == null || title.isBlank()) {
      throw new UnreadableRecord("issue " + number() + " has no title");
    }
    String state = text(json, "state");
    String type = text(json.path("type"), "name");
    String body = text(json, "body");
    List<String> labels = labels();
    return new RawItem(
        new ItemKey(tenant, source, number()),
        title,
        body == null ? "" : body,
        type == null ? "Issue" : type,
        state == null ? "" : state,
        GitHubPriority.of(labels),
        labels,
        text(json, "html_url"),
        changedAt.toString(),
        changedAt,
        null,
        Markup.MARKDOWN,
        json.hasNonNull("assignee") || !json.path("assignees").isEmpty(),
        "closed".equals(state),
        at);
  }

  private List<String> labels() {
    var names = new ArrayList<String>();
    for (JsonNode label : json.path("labels")) {
      // The API describes both shapes; only objects were seen in lists so far.
      String name = label.isTextual() ? label.asText() : text(label, "name");
      if (name != null && !name.isBlank()) {
        names.add(name);
      }
    }
    return names;
  }

  private static @Nullable String text(JsonNode object, String name) {
    JsonNode node = object.path(name);
    return node.isTextual() ? node.asText() : null;
  }
}
