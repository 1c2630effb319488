package dev.flyball.tracker;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A work item as its tracker wrote it, before cleaning.
 *
 * @param title may be of any length
 * @param description HTML or text, of any length
 * @param revision {@code "0"} where the tracker has none
 * @param markup how the description is written
 * @param assignees the names of those it is assigned to, each as the tracker may write it; null
 *     where the tracker does not say
 * @param closed whether the tracker itself says that no work is wanted, or no longer knows the
 *     item; false where only the state's name decides
 * @param comments how many comments it has, anyone's, as its tracker counts them; {@link
 *     #UNCOUNTED} where it does not say
 */
public record RawItem(
    ItemKey key,
    String title,
    String description,
    String type,
    String state,
    int priority,
    List<String> tags,
    @Nullable String url,
    String revision,
    @Nullable Instant changedAt,
    @Nullable String changedBy,
    Markup markup,
    @Nullable List<String> assignees,
    boolean closed,
    int comments) {
  /** The number of comments where the tracker does not say. */
  public static final int UNCOUNTED = -1;

  /** The priority where none is named, so that others can be above and below. */
  public static final int MIDDLE_PRIORITY = 3;

  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
          .appendPattern("[XXX][XX]")
          .toFormatter(Locale.ROOT);

  public RawItem {
    tags = named(tags);
    assignees = assignees == null ? null : named(assignees);
    url = url == null || url.isEmpty() ? null : url;
  }

  private static List<String> named(List<String> names) {
    return names.stream().filter(name -> !name.isBlank()).toList();
  }

  /** Whether the item is assigned to a person; true where the tracker does not say. */
  public boolean assigned() {
    return assignees == null || !assignees.isEmpty();
  }

  /**
   * Begins an item of a source. A title of blanks is one: what people see of it is decided when it
   * is cleaned.
   *
   * @throws UnreadableRecord if it has no title
   */
  public static Builder of(SourceConfig source, String id, String title) {
    if (title.isEmpty()) {
      throw new UnreadableRecord(id + " has no title");
    }
    return of(new ItemKey(source.tenant(), source.name(), id), title);
  }

  /** Begins an item. What is not named is empty or unknown; its priority is the middle. */
  public static Builder of(ItemKey key, String title) {
    return new Builder(key, title);
  }

  /** A time as trackers write it, {@code 2026-02-10T09:00:00.123+0100}; else the epoch. */
  public static Instant time(String text) {
    try {
      return OffsetDateTime.parse(text, TIME).toInstant();
    } catch (DateTimeException e) {
      return Instant.EPOCH;
    }
  }

  /**
   * Hash of everything the tracker returned, meaningful or not: equal digests mean an entirely
   * unchanged snapshot. A new comment changes the time or the revision.
   */
  public String digest() {
    var fields = new TreeMap<String, String>();
    fields.put("title", title);
    fields.put("description", description);
    fields.put("type", type);
    fields.put("state", state);
    fields.put("priority", Integer.toString(priority));
    fields.put("tags", RecordJson.write(tags));
    fields.put("url", url == null ? "" : url);
    fields.put("revision", revision);
    fields.put("changedAt", changedAt == null ? "" : changedAt.toString());
    fields.put("changedBy", changedBy == null ? "" : changedBy);
    fields.put("assigned", Boolean.toString(assigned()));
    fields.put("closed", Boolean.toString(closed));
    return Fingerprint.of(fields).hash();
  }

  /** An item whose parts are named one by one. */
  public static final class Builder {
    private final ItemKey key;
    private final String title;
    private String description = "";
    private Markup markup = Markup.HTML;
    private String type = "";
    private String state = "";
    private boolean closed;
    private int priority = MIDDLE_PRIORITY;
    private List<String> tags = List.of();
    private @Nullable String url;
    private String revision = "0";
    private @Nullable Instant changedAt;
    private @Nullable String changedBy;
    private @Nullable List<String> assignees;
    private int comments = UNCOUNTED;

    private Builder(ItemKey key, String title) {
      this.key = key;
      this.title = title;
    }

    /** Its text and how that is written. */
    public Builder description(String text, Markup markup) {
      this.description = text;
      this.markup = markup;
      return this;
    }

    /** Its kind, for example Bug. */
    public Builder type(String type) {
      this.type = type;
      return this;
    }

    /** The state's name alone decides whether it is closed. */
    public Builder state(String state) {
      return state(state, false);
    }

    /** A state of which the tracker itself says whether it is closed. */
    public Builder state(String state, boolean closed) {
      this.state = state;
      this.closed = closed;
      return this;
    }

    /** 1 is the most urgent. */
    public Builder priority(int priority) {
      this.priority = priority;
      return this;
    }

    /** Its labels. */
    public Builder tags(List<String> tags) {
      this.tags = tags;
      return this;
    }

    /** Where people read it. */
    public Builder url(@Nullable String url) {
      this.url = url;
      return this;
    }

    /** Its newest change, of a tracker without revisions: the time distinguishes changes. */
    public Builder changed(Instant at) {
      return changed(at.toString(), at, null);
    }

    /** Its newest change. */
    public Builder changed(String revision, @Nullable Instant at, @Nullable String by) {
      this.revision = revision;
      this.changedAt = at;
      this.changedBy = by;
      return this;
    }

    /** The names of its assignees; null where the tracker does not say. */
    public Builder assignees(@Nullable List<String> assignees) {
      this.assignees = assignees;
      return this;
    }

    /** How many comments it has; {@link #UNCOUNTED} where the tracker does not say. */
    public Builder comments(int comments) {
      this.comments = comments;
      return this;
    }

    /** The item. */
    public RawItem build() {
      return new RawItem(
          key,
          title,
          description,
          type,
          state,
          priority,
          tags,
          url,
          revision,
          changedAt,
          changedBy,
          markup,
          assignees,
          closed,
          comments);
    }
  }
}
