package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads one work item as both the REST interface and az write it. */
final class AzureItem {
  static final String ID = "System.Id";
  static final String PROJECT = "System.TeamProject";
  private static final String TITLE = "System.Title";
  private static final String STATE = "System.State";
  private static final String TYPE = "System.WorkItemType";
  private static final String CHANGED = "System.ChangedDate";
  private static final String CHANGED_BY = "System.ChangedBy";
  private static final String ASSIGNED_TO = "System.AssignedTo";
  private static final String TAGS = "System.Tags";
  private static final String PRIORITY = "Microsoft.VSTS.Common.Priority";

  /** Text fields that people write, each with its heading; not every process has all of them. */
  private static final Map<String, String> TEXTS = texts();

  /** The fields requested for every item. */
  static final List<String> FIELDS =
      Stream.concat(
              Stream.of(
                  ID,
                  "System.Rev",
                  TITLE,
                  STATE,
                  TYPE,
                  CHANGED,
                  CHANGED_BY,
                  ASSIGNED_TO,
                  TAGS,
                  PROJECT,
                  PRIORITY),
              TEXTS.keySet().stream())
          .toList();

  /** Priority of an item without one: the middle, as in items files. */
  private static final int DEFAULT_PRIORITY = 3;

  private static final int MOST_SHOWN = 2_000;

  private final JsonNode item;
  private final JsonNode fields;

  private AzureItem(JsonNode item) {
    this.item = item;
    this.fields = item.path("fields");
  }

  /** Whether an organisation may lack the field: custom processes of some servers do. */
  static boolean isOptional(String field) {
    return field.equals(PRIORITY) || TEXTS.containsKey(field);
  }

  /** Its id; 0 if the value is not an id. */
  static long id(JsonNode item) {
    return item.path("id").canConvertToLong() ? item.path("id").asLong() : 0;
  }

  /**
   * Reads an item.
   *
   * @param page where people see it, null where that is not known
   * @throws IllegalArgumentException with what is wrong with it
   */
  static RawItem read(JsonNode json, String tenant, String source, @Nullable String page, long at) {
    var item = new AzureItem(json);
    return new RawItem(
        new ItemKey(tenant, source, Long.toString(item.positiveId())),
        item.title(),
        item.description(),
        item.text(TYPE),
        item.text(STATE),
        item.fields.path(PRIORITY).asInt(DEFAULT_PRIORITY),
        item.tags(),
        page,
        item.revision(),
        item.changed(),
        person(item.fields.path(CHANGED_BY)),
        item.markup(),
        person(item.fields.path(ASSIGNED_TO)) != null,
        false,
        at);
  }

  /** An item that cannot be read, for the dead letters. */
  static PollResult.Unread unread(JsonNode json, String source, long at, String reason) {
    String text = RecordJson.write(json);
    return new PollResult.Unread(
        source, at, reason, text.substring(0, Math.min(MOST_SHOWN, text.length())));
  }

  private long positiveId() {
    long id = id(item);
    if (id <= 0) {
      throw new IllegalArgumentException("'id' is missing or no number");
    }
    return id;
  }

  private String title() {
    String title = text(TITLE);
    if (title.isBlank()) {
      throw new IllegalArgumentException("'" + TITLE + "' is missing or blank");
    }
    return title;
  }

  private Instant changed() {
    try {
      return OffsetDateTime.parse(text(CHANGED)).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("'" + CHANGED + "' is missing or no time", e);
    }
  }

  private String revision() {
    JsonNode rev =
        item.path("rev").isIntegralNumber() ? item.path("rev") : fields.path("System.Rev");
    return rev.asText("0");
  }

  private String description() {
    var html = new StringBuilder();
    TEXTS.forEach((field, heading) -> {
      String text = text(field);
      if (!text.isBlank()) {
        html.append(heading.isEmpty() ? "" : "<h2>" + heading + "</h2>\n")
            .append(text)
            .append('\n');
      }
    });
    return html.toString().stripTrailing();
  }

  /**
   * The markup of its texts. Newer projects write some of them in Markdown, which may hold the
   * headings' HTML.
   */
  private Markup markup() {
    JsonNode formats = item.path("multilineFieldsFormat");
    boolean markdown =
        TEXTS.keySet().stream()
            .anyMatch(field -> formats.path(field).asText().equalsIgnoreCase("markdown"));
    return markdown ? Markup.MARKDOWN : Markup.HTML;
  }

  private List<String> tags() {
    return Arrays.stream(text(TAGS).split(";"))
        .map(String::strip)
        .filter(tag -> !tag.isEmpty())
        .toList();
  }

  private String text(String field) {
    return fields.path(field).asText("");
  }

  /**
   * A person's name. Newer servers send an object, older ones {@code Name <address>}; null if there
   * is none.
   */
  private static @Nullable String person(JsonNode identity) {
    String name =
        identity.isObject()
            ? identity.path("uniqueName").asText(identity.path("displayName").asText(""))
            : identity.asText("");
    return name.isBlank() ? null : name;
  }

  private static Map<String, String> texts() {
    var texts = new LinkedHashMap<String, String>();
    texts.put("System.Description", "");
    texts.put("Microsoft.VSTS.TCM.ReproSteps", "Repro steps");
    texts.put("Microsoft.VSTS.Common.AcceptanceCriteria", "Acceptance criteria");
    return texts;
  }
}
