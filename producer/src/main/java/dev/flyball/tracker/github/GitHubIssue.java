package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PriorityNames;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.paging.ChangedEntry;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is read of an entry of GitHub's issue list, which holds pull requests too. Pure.
 *
 * @param number within its repository; 0 if it has none
 * @param updatedAt its last change of any kind, in whole seconds; GitHub has no revisions
 */
@JsonNaming(SnakeCaseStrategy.class)
record GitHubIssue(
    long number,
    String title,
    String body,
    String state,
    @Nullable Type type,
    List<JsonNode> labels,
    List<Person> assignees,
    @Nullable Person assignee,
    String htmlUrl,
    @Nullable Integer comments,
    String updatedAt,
    @Nullable JsonNode pullRequest) {

  private static final List<String> FIELDS =
      TrackerJson.fields(GitHubIssue.class).stream()
          .map(new SnakeCaseStrategy()::translate)
          .toList();

  record Type(String name) {}

  record Person(String login) {}

  /**
   * Reads an entry.
   *
   * @param prefix of its item's id, before the number
   */
  static ChangedEntry read(JsonNode json, SourceConfig source, String prefix) {
    GitHubIssue issue = TrackerJson.read(json, GitHubIssue.class);
    String id = issue.number > 0 ? Long.toString(issue.number) : "";
    Instant changedAt = RawItem.time(issue.updatedAt, Instant.EPOCH);
    return issue.pullRequest == null || issue.pullRequest.isNull()
        ? ChangedEntry.of(
            id, changedAt, onlyRead(json), () -> issue.item(prefix + id, changedAt, source))
        : new ChangedEntry(id, changedAt, changedAt.toString(), new ChangedEntry.Other());
  }

  /** A change of a field that is not read must not make another dead letter of the entry. */
  private static JsonNode onlyRead(JsonNode json) {
    if (!json.isObject()) {
      return json;
    }
    ObjectNode read = JsonNodeFactory.instance.objectNode();
    FIELDS.stream().filter(json::has).forEach(field -> read.set(field, json.get(field)));
    return read;
  }

  private RawItem item(String id, Instant changedAt, SourceConfig source) {
    List<String> names = labels.stream().map(GitHubIssue::name).toList();
    return RawItem.of(source, id, title)
        .description(body, Markup.MARKDOWN)
        .type(type == null || type.name().isEmpty() ? "Issue" : type.name())
        .state(state, state.equals("closed"))
        .priority(PriorityNames.ofLabels(names))
        .tags(names)
        .url(htmlUrl)
        .changed(changedAt)
        .assignees(logins())
        .comments(comments == null ? RawItem.UNCOUNTED : comments)
        .build();
  }

  /** A label's name. The API describes both shapes; only objects were seen in lists so far. */
  private static String name(JsonNode label) {
    return label.isTextual() ? label.asText() : label.path("name").asText("");
  }

  private List<String> logins() {
    Stream<Person> first = assignee == null ? Stream.of() : Stream.of(assignee);
    return Stream.concat(assignees.stream(), first).map(Person::login).distinct().toList();
  }
}
