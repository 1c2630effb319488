package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.paging.ChangedEntry;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One issue as Jira answers it. Pure.
 *
 * @param changedAt its last change of any kind; Jira has no revisions
 */
record JiraIssue(JsonNode json, Instant changedAt) implements ChangedEntry {
  /** The fields of an item; without this list Jira answers ids alone. */
  static final List<String> FIELDS =
      List.of(
          "summary",
          "description",
          "status",
          "issuetype",
          "priority",
          "labels",
          "updated",
          "assignee");

  /** The format of Jira's times, for example {@code 2026-02-10T09:00:00.123+0100}. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
          .appendPattern("[XXX][XX]")
          .toFormatter(Locale.ROOT);

  /** Reads an issue; one that does not say when it was changed has no place in the list. */
  static JiraIssue of(JsonNode json) {
    try {
      String updated = json.path("fields").path("updated").asText();
      return new JiraIssue(json, Instant.from(TIME.parse(updated)));
    } catch (DateTimeException e) {
      return new JiraIssue(json, Instant.EPOCH);
    }
  }

  /** {@code PROJ-12}, or an empty text. */
  String key() {
    return json.path("key").isTextual() ? json.path("key").asText() : "";
  }

  @Override
  public String change() {
    return (key().isEmpty() ? json.toString() : key()) + "@" + changedAt;
  }

  /**
   * Turns the issue into a work item.
   *
   * @param site where people read it; null where that is not known
   * @throws UnreadableRecord if it lacks what an item must have
   */
  RawItem item(String tenant, String source, @Nullable URI site, long at) {
    if (key().isEmpty()) {
      throw new UnreadableRecord("an issue without a key");
    }
    if (changedAt.equals(Instant.EPOCH)) {
      throw new UnreadableRecord("issue " + key() + " does not say when it was updated");
    }
    JsonNode fields = json.path("fields");
    String title = text(fields, "summary");
    if (title.isBlank()) {
      throw new UnreadableRecord("issue " + key() + " has no summary");
    }
    JsonNode status = fields.path("status");
    return new RawItem(
        new ItemKey(tenant, source, key()),
        title,
        description(fields.path("description")),
        text(fields.path("issuetype"), "name"),
        text(status, "name"),
        JiraPriority.of(fields.path("priority")),
        labels(fields.path("labels")),
        site == null ? null : site.resolve("/browse/" + key()).toString(),
        changedAt.toString(),
        changedAt,
        null,
        Markup.ADF,
        fields.hasNonNull("assignee"),
        "done".equals(text(status.path("statusCategory"), "key")),
        at);
  }

  private static String description(JsonNode document) {
    if (document.isObject()) {
      return RecordJson.write(document);
    }
    return document.isTextual() ? document.asText() : "";
  }

  private static List<String> labels(JsonNode labels) {
    var names = new ArrayList<String>();
    for (JsonNode label : labels) {
      if (label.isTextual()) {
        names.add(label.asText());
      }
    }
    return names;
  }

  private static String text(JsonNode object, String name) {
    return object.path(name).isTextual() ? object.path(name).asText() : "";
  }
}
