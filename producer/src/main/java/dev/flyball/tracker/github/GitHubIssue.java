package dev.flyball.tracker.github;

import static dev.flyball.tracker.http.TrackerJson.number;
import static dev.flyball.tracker.http.TrackerJson.text;
import static dev.flyball.tracker.http.TrackerJson.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PriorityNames;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.paging.ChangedEntry;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** An entry of GitHub's issue list, which holds pull requests too. Pure. */
final class GitHubIssue {
  /** What is read. A change of another field must not make another dead letter of the entry. */
  private static final List<String> FIELDS =
      List.of(
          "number title body state type labels assignees assignee html_url comments updated_at"
              .split(" "));

  private GitHubIssue() {}

  /**
   * Reads an entry.
   *
   * @param prefix of its item's id, before the number
   */
  static ChangedEntry read(JsonNode json, SourceConfig source, String prefix) {
    String id = number(json, "/number");
    // Its last change of any kind, in whole seconds; GitHub has no revisions.
    Instant changedAt = RawItem.time(text(json, "/updated_at"));
    if (json.hasNonNull("pull_request")) {
      return new ChangedEntry(id, changedAt, changedAt.toString(), new ChangedEntry.Other());
    }
    JsonNode read = json instanceof ObjectNode all ? all.deepCopy().retain(FIELDS) : json;
    return ChangedEntry.of(id, changedAt, read, () -> item(source, prefix + id, changedAt, json));
  }

  private static RawItem item(SourceConfig source, String id, Instant changedAt, JsonNode json) {
    String type = text(json, "/type/name");
    String state = text(json, "/state");
    // The API describes labels as texts too; only objects were seen in lists so far.
    List<String> labels = texts(json.path("labels"), "name");
    return RawItem.of(source, id, text(json, "/title"))
        .description(text(json, "/body"), Markup.MARKDOWN)
        .type(type.isEmpty() ? "Issue" : type)
        .state(state, state.equals("closed"))
        .priority(PriorityNames.ofLabels(labels))
        .tags(labels)
        .url(text(json, "/html_url"))
        .changed(changedAt)
        .assignees(
            Stream.concat(
                    texts(json.path("assignees"), "login").stream(),
                    Stream.of(text(json, "/assignee/login")))
                .distinct()
                .toList())
        .comments(json.path("comments").asInt(RawItem.UNCOUNTED))
        .build();
  }
}
