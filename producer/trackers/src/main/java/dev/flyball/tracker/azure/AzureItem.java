package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.paging.ChangedEntry;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One work item as both the REST interface and az write it. Pure.
 *
 * @param changedAt its last change of any kind
 */
record AzureItem(JsonNode json, Instant changedAt) implements ChangedEntry {
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

  /** Reads an item; one that does not say when it was changed has no place in the list. */
  static AzureItem of(JsonNode json) {
    try {
      String changed = json.path("fields").path(CHANGED).asText();
      return new AzureItem(json, OffsetDateTime.parse(changed).toInstant());
    } catch (DateTimeException e) {
      return new AzureItem(json, Instant.EPOCH);
    }
  }

  /** Whether an organisation may lack the field: custom processes of some servers do. */
  static boolean isOptional(String field) {
    return field.equals(PRIORITY) || TEXTS.containsKey(field);
  }

  /** Its id; 0 if the value is not an id. */
  static long id(JsonNode json) {
    return json.path("id").canConvertToLong() ? json.path("id").asLong() : 0;
  }

  long id() {
    return id(json);
  }

  @Override
  public String change() {
    return (id() <= 0 ? json.toString() : Long.toString(id())) + "@" + revision();
  }

  /** Whether it says that it was changed before a time. */
  boolean hasChangeBefore(Instant time) {
    return changedAt.isBefore(time) && !changedAt.equals(Instant.EPOCH);
  }

  /**
   * Turns it into a work item.
   *
   * @param page where people see it, null where that is not known
   * @throws UnreadableRecord if it lacks what an item must have
   */
  RawItem item(String tenant, String source, @Nullable String page, long at) {
    if (id() <= 0) {
      throw new UnreadableRecord("'id' is missing or no number");
    }
    if (changedAt.equals(Instant.EPOCH)) {
      throw new UnreadableRecord("'" + CHANGED + "' is missing or no time");
    }
    return new RawItem(
        new ItemKey(tenant, source, Long.toString(id())),
        title(),
        description(),
        text(TYPE),
        text(STATE),
        fields().path(PRIORITY).asInt(DEFAULT_PRIORITY),
        tags(),
        page,
        revision(),
        changedAt,
        person(fields().path(CHANGED_BY)),
        markup(),
        person(fields().path(ASSIGNED_TO)) != null,
        false,
        at);
  }

  private JsonNode fields() {
    return json.path("fields");
  }

  private String title() {
    String title = text(TITLE);
    if (title.isBlank()) {
      throw new UnreadableRecord("'" + TITLE + "' is missing or blank");
    }
    return title;
  }

  private String revision() {
    JsonNode rev =
        json.path("rev").isIntegralNumber() ? json.path("rev") : fields().path("System.Rev");
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
    JsonNode formats = json.path("multilineFieldsFormat");
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
    return fields().path(field).asText("");
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
