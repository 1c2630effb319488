package dev.flyball.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads one line of an items file. Only id and title are required; a field of the wrong shape makes
 * the line unreadable rather than being guessed at.
 */
final class JsonlLine {
  private static final Set<String> FIELDS =
      Set.of(
          "id",
          "title",
          "tenant",
          "source",
          "description",
          "type",
          "state",
          "priority",
          "tags",
          "url",
          "revision",
          "changedAt",
          "changedBy");

  private final ObjectNode fields;

  private JsonlLine(ObjectNode fields) {
    this.fields = fields;
  }

  /**
   * Reads a line.
   *
   * @param unknown counts the fields of this line that are not read, by their names
   * @throws UnreadableRecord with the reason
   */
  static RawItem read(
      String line, String tenant, String source, long at, Map<String, Integer> unknown) {
    if (!line.stripLeading().startsWith("{")) {
      throw new UnreadableRecord("not a JSON object");
    }
    JsonNode json = RecordJson.parse(line);
    if (!(json instanceof ObjectNode object)) {
      throw new UnreadableRecord("not a JSON object");
    }
    RawItem item = new JsonlLine(object).item(tenant, source, at);
    object
        .fieldNames()
        .forEachRemaining(name -> {
          if (!FIELDS.contains(name)) {
            unknown.merge(name, 1, Integer::sum);
          }
        });
    return item;
  }

  private RawItem item(String tenant, String source, long at) {
    String id = required("id");
    String title = required("title");
    try {
      var key = new ItemKey(text("tenant", tenant), text("source", source), id);
      return RawItem.of(key, title)
          .description(text("description", ""), Markup.HTML)
          .type(text("type", ""))
          .state(text("state", ""))
          .priority(priority())
          .tags(tags())
          .url(optional("url"))
          .changed(text("revision", "0"), changedAt(), optional("changedBy"))
          .at(at)
          .build();
    } catch (IllegalArgumentException e) {
      throw new UnreadableRecord(String.valueOf(e.getMessage()));
    }
  }

  private String required(String name) {
    String text = optional(name);
    if (text == null || text.isBlank()) {
      throw new UnreadableRecord("'" + name + "' is missing or blank");
    }
    return text;
  }

  private String text(String name, String otherwise) {
    String text = optional(name);
    return text == null ? otherwise : text;
  }

  private @Nullable String optional(String name) {
    JsonNode node = fields.get(name);
    if (node == null || node.isNull()) {
      return null;
    }
    if (!node.isTextual() && !node.isIntegralNumber()) {
      throw new UnreadableRecord("'" + name + "' must be text");
    }
    return node.asText();
  }

  private int priority() {
    String text = optional("priority");
    if (text == null) {
      return RawItem.MIDDLE_PRIORITY;
    }
    try {
      int priority = Integer.parseInt(text);
      if (priority >= 0 && priority <= 1000) {
        return priority;
      }
    } catch (NumberFormatException e) {
      // Reported below, together with numbers out of range.
    }
    throw new UnreadableRecord("'priority' must be a whole number from 0 to 1000");
  }

  private List<String> tags() {
    JsonNode node = fields.get("tags");
    if (node == null || node.isNull()) {
      return List.of();
    }
    if (!node.isArray()) {
      throw new UnreadableRecord("'tags' must be a list of text");
    }
    var tags = new ArrayList<String>();
    for (JsonNode tag : node) {
      if (!tag.isTextual()) {
        throw new UnreadableRecord("'tags' must be a list of text");
      }
      tags.add(tag.asText());
    }
    return tags;
  }

  private @Nullable Instant changedAt() {
    String text = optional("changedAt");
    if (text == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new UnreadableRecord("'changedAt' must be an ISO instant such as 2026-02-10T08:00:00Z");
    }
  }
}
