package dev.flyball.tracker.jira;

import static dev.flyball.tracker.http.TrackerJson.text;
import static dev.flyball.tracker.http.TrackerJson.texts;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PriorityNames;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.paging.ChangedEntry;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An issue as Jira answers it; its last change of any kind counts, because it has no revisions. */
final class JiraIssue {
  /** The fields of an item; without this list Jira answers ids alone. */
  static final List<String> FIELDS =
      List.of("summary description status issuetype priority labels updated assignee".split(" "));

  private JiraIssue() {}

  /**
   * Reads an issue, whose id is its key, for example {@code PROJ-12}.
   *
   * @param site where people read it; null where that is not known
   */
  static ChangedEntry read(JsonNode json, SourceConfig source, @Nullable URI site) {
    String key = text(json, "/key");
    Instant changedAt = RawItem.time(text(json, "/fields/updated"));
    return ChangedEntry.of(key, changedAt, json, () -> item(source, key, changedAt, json, site));
  }

  private static RawItem item(
      SourceConfig source, String key, Instant changedAt, JsonNode json, @Nullable URI site) {
    JsonNode fields = json.path("fields");
    JsonNode document = fields.path("description");
    // Of Data Center, whose descriptions are wiki markup, as its page shows it.
    boolean html = json.path("renderedFields").isObject();
    return RawItem.of(source, key, text(fields, "/summary"))
        .description(
            html
                ? text(json, "/renderedFields/description")
                : document.isObject() ? RecordJson.write(document) : text(fields, "/description"),
            html ? Markup.HTML : Markup.ADF)
        .type(text(fields, "/issuetype/name"))
        .state(
            text(fields, "/status/name"), text(fields, "/status/statusCategory/key").equals("done"))
        .priority(priority(text(fields, "/priority/name"), text(fields, "/priority/id")))
        .tags(texts(fields.path("labels"), ""))
        .url(site == null ? null : site.toString().replaceAll("/+$", "") + "/browse/" + key)
        .changed(changedAt)
        .assignees(
            Stream.of("accountId", "name", "displayName", "emailAddress")
                .map(name -> text(fields, "/assignee/" + name))
                .toList())
        .build();
  }

  /**
   * The number of a priority, by its name, or by its id, which every new site has whatever the
   * names in its language; the middle for any other.
   */
  static int priority(String name, String id) {
    return PriorityNames.number(name)
        .orElse(PriorityNames.number(id).orElse(RawItem.MIDDLE_PRIORITY));
  }
}
