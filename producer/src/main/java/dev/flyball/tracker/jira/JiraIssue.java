package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PriorityNames;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.paging.ChangedEntry;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields that are read of an issue as Jira answers it. Pure.
 *
 * @param description a document; text in older answers
 * @param updated its last change of any kind; Jira has no revisions
 */
record JiraIssue(
    String summary,
    @Nullable JsonNode description,
    @Nullable Status status,
    @Nullable Type issuetype,
    @Nullable Priority priority,
    List<String> labels,
    String updated,
    @Nullable Person assignee) {
  /** The fields of an item; without this list Jira answers ids alone. */
  static final List<String> FIELDS = TrackerJson.fields(JiraIssue.class);

  record Status(String name, @Nullable Category statusCategory) {
    boolean done() {
      return statusCategory != null && statusCategory.key().equals("done");
    }
  }

  record Category(String key) {}

  record Type(String name) {}

  record Priority(String name, String id) {}

  /** A person: the id or login, the display name and, if the person allows that, the address. */
  record Person(String accountId, String name, String displayName, String emailAddress) {
    List<String> names() {
      return List.of(accountId, name, displayName, emailAddress);
    }
  }

  /**
   * Reads an issue, whose id is its key, for example {@code PROJ-12}.
   *
   * @param site where people read it; null where that is not known
   */
  static ChangedEntry read(JsonNode json, SourceConfig source, @Nullable URI site) {
    String key = json.path("key").isTextual() ? json.path("key").asText() : "";
    JiraIssue issue = TrackerJson.read(json.path("fields"), JiraIssue.class);
    Instant changedAt = RawItem.time(issue.updated, Instant.EPOCH);
    // Of Data Center, whose descriptions are wiki markup, as its page shows it.
    JsonNode shown = json.path("renderedFields");
    return ChangedEntry.of(
        key, changedAt, json, () -> issue.item(key, changedAt, source, site, shown));
  }

  private RawItem item(
      String key, Instant changedAt, SourceConfig source, @Nullable URI site, JsonNode shown) {
    boolean html = shown.isObject();
    return RawItem.of(source, key, summary)
        .description(
            html ? text(shown.path("description")) : text(description),
            html ? Markup.HTML : Markup.ADF)
        .type(issuetype == null ? "" : issuetype.name())
        .state(status == null ? "" : status.name(), status != null && status.done())
        .priority(priority(priority))
        .tags(labels)
        .url(site == null ? null : site.toString().replaceAll("/+$", "") + "/browse/" + key)
        .changed(changedAt)
        .assignees(assignee == null ? List.of() : assignee.names())
        .build();
  }

  private static String text(@Nullable JsonNode document) {
    return document != null && document.isObject()
        ? RecordJson.write(document)
        : document != null && document.isTextual() ? document.asText() : "";
  }

  /**
   * The number of a priority, by its name, or by its id, which every new site has whatever the
   * names in its language; the middle for any other.
   */
  static int priority(@Nullable Priority priority) {
    return priority == null
        ? RawItem.MIDDLE_PRIORITY
        : PriorityNames.number(priority.name())
            .orElse(PriorityNames.number(priority.id()).orElse(RawItem.MIDDLE_PRIORITY));
  }
}
