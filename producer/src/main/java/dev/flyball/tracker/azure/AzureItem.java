package dev.flyball.tracker.azure;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.text.CleanText;
import dev.flyball.tracker.text.MarkdownText;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields that are read of a work item. Pure.
 *
 * @param comments how many it has; older servers do not know it
 */
record AzureItem(
    @JsonProperty(ID) long id,
    @JsonProperty("System.Rev") String revision,
    @JsonProperty("System.Title") String title,
    @JsonProperty("System.State") String state,
    @JsonProperty("System.WorkItemType") String type,
    @JsonProperty(CHANGED) String changed,
    @JsonProperty("System.ChangedBy") @Nullable Person changedBy,
    @JsonProperty("System.AssignedTo") @Nullable Person assignedTo,
    @JsonProperty("System.Tags") String tags,
    @JsonProperty(PRIORITY) @Nullable Integer priority,
    @JsonProperty(DESCRIPTION) String description,
    @JsonProperty(STEPS) String steps,
    @JsonProperty(CRITERIA) String criteria,
    @JsonProperty(COMMENTS) @Nullable Integer comments) {
  static final String ID = "System.Id";
  private static final String CHANGED = "System.ChangedDate";
  private static final String COMMENTS = "System.CommentCount";
  private static final String PRIORITY = "Microsoft.VSTS.Common.Priority";
  private static final String DESCRIPTION = "System.Description";
  private static final String STEPS = "Microsoft.VSTS.TCM.ReproSteps";
  private static final String CRITERIA = "Microsoft.VSTS.Common.AcceptanceCriteria";

  static final List<String> FIELDS = TrackerJson.fields(AzureItem.class);

  /** The fields that an organisation may lack: custom processes of some servers do. */
  static final List<String> OPTIONAL = List.of(PRIORITY, COMMENTS, DESCRIPTION, STEPS, CRITERIA);

  /** A person. Newer servers send an object, older ones {@code Name <address>}. */
  record Person(String uniqueName, String displayName) {
    @JsonCreator
    Person {}

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Person of(String text) {
      return new Person(text, "");
    }

    List<String> names() {
      return Stream.of(uniqueName, displayName).filter(name -> !name.isBlank()).toList();
    }
  }

  static ChangedEntry read(JsonNode json, SourceConfig source, AzurePlace place) {
    AzureItem item = TrackerJson.read(json.path("fields"), AzureItem.class);
    long id = idOf(json);
    String name = id > 0 ? Long.toString(id) : "";
    Instant changedAt = RawItem.time(item.changed);
    String revision = json.path("rev").asText(item.revision.isEmpty() ? "0" : item.revision);
    return ChangedEntry.of(
        name,
        changedAt,
        revision,
        json,
        () ->
            item.texts(item.item(source, name), json.path("multilineFieldsFormat"))
                .url(place.page(id))
                .changed(revision, changedAt, item.author())
                .build());
  }

  /** Its id; 0 if the value is not an id. */
  static long idOf(JsonNode json) {
    return json.path("id").canConvertToLong() ? json.path("id").asLong() : 0;
  }

  private RawItem.Builder item(SourceConfig source, String name) {
    return RawItem.of(source, name, title)
        .type(type)
        .state(state)
        .priority(priority == null ? RawItem.MIDDLE_PRIORITY : priority)
        .tags(Arrays.stream(tags.split(";")).map(String::strip).toList())
        .assignees(assignedTo == null ? List.of() : assignedTo.names())
        .comments(comments == null ? RawItem.UNCOUNTED : comments);
  }

  private @Nullable String author() {
    List<String> names = changedBy == null ? List.of() : changedBy.names();
    return names.isEmpty() ? null : names.getFirst();
  }

  /**
   * Adds the texts that people write, each read by its own format; newer projects write some of
   * them in Markdown. Not every process has all of them.
   */
  private RawItem.Builder texts(RawItem.Builder item, JsonNode formats) {
    boolean html =
        Stream.of(DESCRIPTION, STEPS, CRITERIA).noneMatch(field -> markdown(formats, field));
    return item.description(
        Stream.of(
                part("", clean(description, DESCRIPTION, formats, html), html),
                part("Repro steps", clean(steps, STEPS, formats, html), html),
                part("Acceptance criteria", clean(criteria, CRITERIA, formats, html), html))
            .collect(Collectors.joining())
            .stripTrailing(),
        html ? Markup.HTML : Markup.NONE);
  }

  /** A text as it is if all are HTML, so that they are one page. */
  private static String clean(String text, String field, JsonNode formats, boolean html) {
    if (html) {
      return text;
    }
    return markdown(formats, field) ? MarkdownText.of(text) : CleanText.of(text);
  }

  private static boolean markdown(JsonNode formats, String field) {
    return formats.path(field).asText("").equalsIgnoreCase("markdown");
  }

  private static String part(String heading, String text, boolean html) {
    String title = html ? "<h2>" + heading + "</h2>\n" : "## " + heading + "\n";
    return text.isBlank() ? "" : (heading.isEmpty() ? "" : title) + text + (html ? "\n" : "\n\n");
  }
}
